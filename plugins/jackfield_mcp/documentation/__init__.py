"""Jackfield's own documentation for agents: its pages, their sections, and a search in them."""
