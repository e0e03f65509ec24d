"""Data tables as PostgreSQL keeps them."""
