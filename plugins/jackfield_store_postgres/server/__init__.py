"""Connections to the server, and transactions on them."""
