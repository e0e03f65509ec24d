"""The kernel: cli."""
