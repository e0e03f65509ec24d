"""What a node is given while it runs."""
