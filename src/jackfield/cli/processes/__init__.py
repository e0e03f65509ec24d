"""The processes of a daemon: the first one, its workers, and the one that attends to it."""
