"""HTTP/1.1 as the daemon takes it, and its answers to what is no request."""
