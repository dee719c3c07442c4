"""A synthetic bitext with known links."""
