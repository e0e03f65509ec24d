"""From the bytes of a request's body to what an item holds."""
