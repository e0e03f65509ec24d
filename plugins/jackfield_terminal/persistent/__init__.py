"""Sessions that survive the daemon."""
