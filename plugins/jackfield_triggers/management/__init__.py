"""What the API and the command line tell of triggers."""
