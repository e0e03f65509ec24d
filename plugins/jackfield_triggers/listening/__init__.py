"""Triggers that hold a connection."""
