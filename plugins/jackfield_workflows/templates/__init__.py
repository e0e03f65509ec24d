"""Templates: workflows that a new one can start from."""
