"""Nodes that turn values into other values: dates, digests, HTML, Markdown, XML."""
