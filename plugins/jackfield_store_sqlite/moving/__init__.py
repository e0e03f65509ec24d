"""Copying the store to another one, and another one to it."""
