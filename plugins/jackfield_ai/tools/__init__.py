"""Tools: agents can call them."""
