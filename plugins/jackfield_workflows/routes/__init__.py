"""The management API."""
