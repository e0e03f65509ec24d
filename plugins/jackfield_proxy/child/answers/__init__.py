"""Answers on their way to the client, and what is noted of them."""
