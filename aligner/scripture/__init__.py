"""Scripture: books of the Bible, their verses and versifications, and the tokens of verses."""
