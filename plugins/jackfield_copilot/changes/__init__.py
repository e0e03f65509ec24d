"""How a draft differs from a workflow: units, changes, and documents with some of them. Pure functions."""
