"""HTTP Request, and the client that other plugins use too."""
