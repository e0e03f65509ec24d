"""The functions for values that nodes share: paths, names, conversions, comparison."""
