"""Learning from corrected lines: trees that choose links better than the model alone."""
