"""Worker processes of one daemon: they take calls and run executions, and its first process keeps the store."""
