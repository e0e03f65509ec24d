"""The order of nodes: graphs, node runs, and the pure run loop."""
