"""The code that runs inside a worker process; it imports nothing else of the project."""
