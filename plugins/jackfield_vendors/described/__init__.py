"""Descriptions of services as they stand in TOML: nodes, credentials, triggers."""
