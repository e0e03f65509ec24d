"""Conditions on items, in every form that documents have them."""
