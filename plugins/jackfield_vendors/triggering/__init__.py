"""Triggers that descriptions make: their polls, and their subscriptions."""
