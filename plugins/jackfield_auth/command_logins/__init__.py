"""Logins of command lines: a person allows one in the browser, and it gets an API key of that person."""
