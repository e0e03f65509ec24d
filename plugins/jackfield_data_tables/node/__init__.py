"""The Data table node."""
