"""Moving in from a real n8n, as a new user does it."""
