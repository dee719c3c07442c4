"""Training: the loop, the state and its update, E-steps, pruning, checkpoints."""
