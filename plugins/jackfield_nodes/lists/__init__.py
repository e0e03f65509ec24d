"""Nodes that change which items there are, their order or their fields' names."""
