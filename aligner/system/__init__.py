"""Threads, memory and processors of this process."""
