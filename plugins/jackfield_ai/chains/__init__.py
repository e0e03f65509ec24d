"""Nodes that ask a model once, or a few times in a fixed order."""
