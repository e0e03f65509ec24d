"""The host's checks of plugins before it uses their contributions."""
