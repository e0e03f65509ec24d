"""The chat trigger: its address and its page."""
