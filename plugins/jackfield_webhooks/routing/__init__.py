"""Which webhook a path and a method lead to."""
