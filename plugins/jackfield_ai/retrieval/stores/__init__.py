"""Vector stores: one port, one node for all, one file per store."""
