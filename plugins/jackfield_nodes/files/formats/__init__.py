"""Formats of files. A heavy library is imported by the module of its format, and that when a file of it comes."""
