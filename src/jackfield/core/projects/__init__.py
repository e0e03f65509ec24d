"""Projects: what a reach comes to, and the store that holds to it."""
