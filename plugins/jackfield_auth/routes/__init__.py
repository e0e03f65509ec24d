"""Routes of logins, sessions, users and API keys, with the forms of their bodies."""
