"""The kernel: http."""
