"""Expressions on the data of an execution that is over."""
