"""Dates of expressions: luxon's and JavaScript's own."""
