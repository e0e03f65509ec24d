"""Memories: agents remember a conversation by them."""
