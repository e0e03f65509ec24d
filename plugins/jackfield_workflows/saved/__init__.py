"""Saved workflows: changes and imports."""
