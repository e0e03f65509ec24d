"""The node for Elasticsearch."""
