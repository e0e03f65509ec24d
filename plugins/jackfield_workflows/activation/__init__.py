"""The problems that keep a workflow from being live, and the state of those that are."""
