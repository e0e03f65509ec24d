"""The usage in coding agents' logs, as rows of numbers."""

from logscan._logscan import Logs, Part, Scanner

__all__ = ["Logs", "Part", "Scanner"]
