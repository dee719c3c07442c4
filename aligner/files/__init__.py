"""Files: opened, compressed, read by lines, or by ranges of bytes."""
