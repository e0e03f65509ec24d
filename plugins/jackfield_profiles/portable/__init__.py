"""Profiles as documents for other environments."""
