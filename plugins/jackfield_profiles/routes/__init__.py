"""`/api/profiles`, and the keys of providers."""
