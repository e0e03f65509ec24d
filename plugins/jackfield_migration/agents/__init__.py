"""Moving in from other tools for coding agents: their providers, keys, profiles and routes."""
