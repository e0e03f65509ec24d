"""Node types that descriptions in packages make."""
