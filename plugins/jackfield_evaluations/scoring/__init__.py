"""How the rows of a run are scored."""
