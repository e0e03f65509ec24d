"""The connections of clients, and what the daemon knows of them."""
