"""What is kept in the repository, one module a kind."""
