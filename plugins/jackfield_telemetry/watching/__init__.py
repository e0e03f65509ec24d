"""Following agents' logs live."""
