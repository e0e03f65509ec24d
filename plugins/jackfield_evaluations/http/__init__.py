"""The routes of evaluations."""
