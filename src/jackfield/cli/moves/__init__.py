"""Contents that move to another store, and files that move to another place."""
