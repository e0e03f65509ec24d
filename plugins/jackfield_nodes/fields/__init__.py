"""Nodes that set the fields of items."""
