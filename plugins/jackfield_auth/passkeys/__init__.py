"""Passkeys: their ceremonies, what is kept of them, and how they let users in."""
