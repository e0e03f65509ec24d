"""Runs of the git program."""
