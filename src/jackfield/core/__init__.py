"""The kernel: core."""
