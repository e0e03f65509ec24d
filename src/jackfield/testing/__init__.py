"""Fakes and helpers for the tests of plugins."""
