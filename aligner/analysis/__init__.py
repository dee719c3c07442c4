"""Analysis of links and models: errors against gold, thresholds, reliability, tuning, checks without gold."""
