"""Calls of services: made of templates, sent, read, in pages."""
