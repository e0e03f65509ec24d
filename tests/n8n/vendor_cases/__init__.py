"""Cases of services' actions, a module per service."""
