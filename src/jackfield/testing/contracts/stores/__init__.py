"""The parts of the suites for stores, one for each group of verbs, and their rows."""
