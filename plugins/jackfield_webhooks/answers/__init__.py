"""The answers to callers."""
