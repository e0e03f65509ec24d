"""What nodes share about values: paths, names, conversions, comparison."""
