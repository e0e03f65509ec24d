"""Executions and calls: reading them, owning them, ending them."""
