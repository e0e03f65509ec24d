"""Prices of tokens, and the cost of an answer by them."""
