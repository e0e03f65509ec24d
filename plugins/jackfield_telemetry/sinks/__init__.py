"""Records of what happened, for the sinks that plugins give."""
