"""The applications that calls reach."""
