"""Packages from a registry of npm: versions, dependencies, archives."""
