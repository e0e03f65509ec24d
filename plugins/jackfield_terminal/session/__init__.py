"""Sessions, their clients, and their recordings."""
