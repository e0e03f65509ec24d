"""Keys and their usage on the disk."""
