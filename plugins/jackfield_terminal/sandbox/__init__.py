"""Agents in a sandbox of bubblewrap."""
