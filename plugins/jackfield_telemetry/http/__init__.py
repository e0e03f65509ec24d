"""`/api/usage`."""
