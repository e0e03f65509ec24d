"""Limits of keys: of a minute, and of money and tokens."""
