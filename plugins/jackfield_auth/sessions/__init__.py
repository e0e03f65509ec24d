"""Browsers' sessions."""
