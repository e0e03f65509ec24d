"""Chat models of several providers."""
