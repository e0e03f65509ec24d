"""The master key: where it comes from, what is derived from it, and which of several seals."""
