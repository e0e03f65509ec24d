"""A page for each node type, made of what it says of itself: for the interface, and for the documentation."""
