"""What the process may use: threads, memory and processors."""
