"""Providers: requests to them, which of them is tried next, and the beginning of an answer."""
