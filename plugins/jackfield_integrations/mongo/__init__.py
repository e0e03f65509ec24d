"""MongoDB: the connection that others share, and the node."""
