"""Workflows that are offered as tools to agents of profiles."""
