"""XML: the node that reads and writes it."""
