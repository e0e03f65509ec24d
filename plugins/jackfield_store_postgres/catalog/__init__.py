"""Workflows and all by which they are found."""
