"""What daemons that share the database tell each other."""
