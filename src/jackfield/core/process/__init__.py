"""The process that the daemon is: its memory, environment and limits, and who holds its main thread."""
