"""The API of source control."""
