"""Sessions of browsers: the cookie, its storage, and the login that begins one."""
