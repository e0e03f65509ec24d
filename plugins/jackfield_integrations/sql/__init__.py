"""Nodes for databases that speak SQL."""
