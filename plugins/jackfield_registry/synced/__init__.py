"""The synced content: its directory, its index and lock, and the checks of both."""
