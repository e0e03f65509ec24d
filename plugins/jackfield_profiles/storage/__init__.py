"""Stored profiles: their files, read when they change, and the locks of those who change them."""
