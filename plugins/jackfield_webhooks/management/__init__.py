"""The API over webhooks and their history."""
