"""Jackfield's own compiled parts: the usage in coding agents' logs, as rows of numbers. No public interface: it changes
with Jackfield, whose distribution asks for the version that it needs."""

from jackfield_native._native import Logs, Part

__all__ = ["Logs", "Part"]
