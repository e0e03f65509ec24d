"""Routes of credentials, and the page to which a login returns."""
