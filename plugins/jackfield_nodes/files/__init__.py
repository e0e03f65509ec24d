"""Nodes that read and make files."""
