"""What scripts generate for an agent, and how it gets into the home beside what the user has there."""
