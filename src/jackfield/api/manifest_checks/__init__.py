"""Checks of a manifest before it is used: every mistake, with its place and what is allowed there."""
