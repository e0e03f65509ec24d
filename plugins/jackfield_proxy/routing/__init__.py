"""Which provider and model a request goes to. Nothing here does I/O."""
