"""A client's request: what it says, and what is made of it for a provider."""
