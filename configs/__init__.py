"""Training recipes as TOML, installed as package data."""
