"""From files, databases and uploads to what n8n says in them."""
