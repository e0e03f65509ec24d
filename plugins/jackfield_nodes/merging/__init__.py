"""Merge: makes one list of items of several inputs."""
