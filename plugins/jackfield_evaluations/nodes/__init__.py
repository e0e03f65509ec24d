"""n8n's nodes of evaluations."""
