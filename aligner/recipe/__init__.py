"""Training recipes. A recipe is data: stages, settings for reading and for decoding."""
