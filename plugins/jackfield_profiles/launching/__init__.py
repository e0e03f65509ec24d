"""From a stored profile to a running agent and back."""
