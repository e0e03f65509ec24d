"""API keys of profiles and providers, in the keyring or in sealed files."""
