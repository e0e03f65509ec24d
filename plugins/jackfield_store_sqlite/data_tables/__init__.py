"""Data tables as SQLite keeps them."""
