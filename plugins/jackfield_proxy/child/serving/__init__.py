"""Requests from their head to their record: the server, one exchange, and the plan by which it is served."""
