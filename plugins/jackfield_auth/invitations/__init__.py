"""Links with which somebody gets an account, or another password."""
