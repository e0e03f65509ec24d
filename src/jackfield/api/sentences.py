"""Parts of sentences that are made of data."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; empty for none."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
