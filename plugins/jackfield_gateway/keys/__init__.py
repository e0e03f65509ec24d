"""A virtual key and its limits."""
