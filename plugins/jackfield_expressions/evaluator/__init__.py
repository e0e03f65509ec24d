"""Simple expressions in Python: reading JavaScript, and closures that evaluate it."""
