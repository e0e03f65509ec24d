"""Triggers that the daemon itself starts: a workflow went live, a live one was changed, the daemon has started."""
