"""Routes of `/api/terminal`, and links that share a session."""
