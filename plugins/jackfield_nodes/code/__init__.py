"""Nodes that run the author's own programs."""
