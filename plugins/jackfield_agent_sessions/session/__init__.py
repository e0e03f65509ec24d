"""One session: its process, its messages, its state."""
