"""Tokens of the runs of profiles' agents."""
