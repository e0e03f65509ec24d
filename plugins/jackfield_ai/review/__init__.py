"""Human review: calls of tools that wait for a person's yes."""
