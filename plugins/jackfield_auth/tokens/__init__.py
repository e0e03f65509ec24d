"""JSON Web Tokens: making them, checking them, and revoking a user's."""
