"""Subscribing triggers: what services were asked to send, and the events that they send."""
