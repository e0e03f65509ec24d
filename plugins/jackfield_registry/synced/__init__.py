"""What was synced: its directory, its index and lock, and the checks of both."""
