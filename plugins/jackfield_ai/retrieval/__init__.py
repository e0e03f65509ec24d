"""Documents: loaded, split, embedded, stored and found again."""
