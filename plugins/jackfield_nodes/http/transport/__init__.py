"""The connections of requests: guarded, through proxies, kept for the next request."""
