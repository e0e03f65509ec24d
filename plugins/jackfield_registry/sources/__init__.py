"""Where a registry can be fetched from."""
