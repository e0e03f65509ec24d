"""JSON Web WebTokens."""
