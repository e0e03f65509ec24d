"""Public workflows, cut down to what runs without network, credentials, clock and chance."""
