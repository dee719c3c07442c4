"""Training: the loop, E-steps, pseudo-counts, pruning, checkpoints."""
