"""Functions that shapes call by name: those of any service, and those of one."""
