"""The services that a node gets while it runs."""
