"""n8n's public API, as its clients use it: the same objects as the management API's, in n8n's shapes."""
