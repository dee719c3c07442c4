"""A bitext in French and English with known links."""
