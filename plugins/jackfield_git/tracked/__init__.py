"""The things that are kept in the repository, one module a kind."""
