"""The API of external secrets."""
