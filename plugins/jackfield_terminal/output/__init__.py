"""A session's output: its log, and when it is read."""
