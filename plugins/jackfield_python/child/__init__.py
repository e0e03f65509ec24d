"""What runs inside a worker process; imports nothing else of the project."""
