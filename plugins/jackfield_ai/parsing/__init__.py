"""Output parsers, and the JSON Schemas that they and tools use."""
