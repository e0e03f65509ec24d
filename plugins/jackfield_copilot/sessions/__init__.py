"""Agents that work on a draft."""
