"""The memories that agents have of a conversation."""
