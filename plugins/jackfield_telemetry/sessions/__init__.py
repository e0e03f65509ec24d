"""The log of runs, and the sums beside it."""
