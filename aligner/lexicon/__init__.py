"""Co-occurring word pairs, the two lexical tables over them, and blocks of cells that look them up."""
