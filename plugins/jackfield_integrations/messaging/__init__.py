"""Nodes that send messages to brokers, and their connections."""
