"""The files that scripts generate for an agent, and the way into the home, where the user's own files are."""
