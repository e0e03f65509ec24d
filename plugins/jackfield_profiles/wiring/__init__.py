"""What an agent is given to reach its provider: address, key or token, variables."""
