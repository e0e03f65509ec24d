"""Markdown: the node that makes HTML of it, and it of HTML."""
