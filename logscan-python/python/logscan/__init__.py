"""Chosen fields of JSON lines, as columns."""

from logscan._logscan import Scanner

__all__ = ["Scanner"]
