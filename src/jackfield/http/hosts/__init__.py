"""Requests that belong to another host."""
