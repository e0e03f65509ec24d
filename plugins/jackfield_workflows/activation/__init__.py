"""What keeps a workflow from being live, and what has become of those that are."""
