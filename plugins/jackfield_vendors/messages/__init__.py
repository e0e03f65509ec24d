"""Mail as services take and give it."""
