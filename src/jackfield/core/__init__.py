"""The host: it finds plugins and checks them, makes ports, reads settings and manifests, and keeps secrets."""
