"""Hints for names that are nearly right."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

LONGEST = 200
"""Characters of a name that are compared."""
MOST_NAMES = 1000


def similar(named: str, names: Iterable[str]) -> list[str]:
    """At most three names that look like the one that is not there, the nearest first; case does not matter."""
    from difflib import get_close_matches  # for mistakes alone

    known = {name.lower(): name for name in islice(names, MOST_NAMES)}
    return [known[found] for found in get_close_matches(named[:LONGEST].lower(), known, n=3)]


def did_you_mean(named: str, names: Iterable[str]) -> str:
    """The end of a sentence that says what is not there: a question with similar names, else a full stop."""
    near = similar(named, names)
    return f"; did you mean {' or '.join(near)}?" if near else "."
