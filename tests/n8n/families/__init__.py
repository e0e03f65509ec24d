"""One module per kind of cases; each has `FAMILIES`."""
