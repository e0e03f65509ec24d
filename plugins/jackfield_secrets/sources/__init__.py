"""Sources of secrets, one module each."""
