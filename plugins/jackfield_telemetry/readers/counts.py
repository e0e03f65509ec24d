"""Counts of tokens as logs write them."""

from __future__ import annotations

from jackfield.api.telemetry import Tokens

MOST = 2**50
"""More tokens than that are damage."""


def plausible(one: int, two: int, three: int, four: int = 0, five: int = 0) -> bool:
    """Whether something was used and each number can be one. Together their bits tell it of nearly all."""
    bits = one | two | three | four | five
    return bits > 0 and (bits < MOST or max(one, two, three, four, five) <= MOST)


def included(given: int, output: int, cached: int) -> Tokens | None:
    """Where the input includes what was read from a cache. None when nothing was used or a number cannot be one."""
    if not plausible(given, output, cached):
        return None
    read = min(cached, given)
    return Tokens(given - read, output, 0, read)
