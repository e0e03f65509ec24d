"""One execution in memory."""
