"""Counts of tokens as logs write them."""

from __future__ import annotations

from jackfield.api.telemetry import Tokens

MOST = 2**50
"""More tokens than that are damage."""


def included(given: int, output: int, cached: int) -> Tokens | None:
    """Where the input includes what was read from a cache. None when nothing was used or a number cannot be one."""
    numbers = (given, output, cached)
    if min(numbers) < 0 or max(numbers) > MOST or not any(numbers):
        return None
    read = min(cached, given)
    return Tokens(given - read, output, 0, read)
