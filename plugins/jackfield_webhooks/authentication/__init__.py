"""How a call proves that it may start a workflow."""
