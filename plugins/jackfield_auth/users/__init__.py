"""Users, their passwords, and the first of them."""
