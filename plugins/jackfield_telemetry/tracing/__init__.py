"""Traces of executions."""
