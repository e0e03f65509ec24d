"""What agents remember of a conversation."""
