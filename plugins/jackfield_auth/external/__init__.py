"""Logins that plugins bring, and their users."""
