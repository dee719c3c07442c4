"""Analysis of links and models: errors against gold, thresholds, tuning, and checks without gold."""
