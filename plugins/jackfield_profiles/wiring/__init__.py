"""The means with which an agent reaches its provider: address, key or token, variables."""
