"""Programs in pseudo-terminals: how they are started, signalled and reaped."""
