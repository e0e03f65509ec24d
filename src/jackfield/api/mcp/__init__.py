"""The parts that servers of the Model Context Protocol share: the daemon's own, and those of workflows."""
