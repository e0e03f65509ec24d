"""Executions that are stored: views and retries."""
