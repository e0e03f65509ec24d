"""API keys: making, checking and revoking them, and when each was used last."""
