"""The messages of daemons that share the database."""
