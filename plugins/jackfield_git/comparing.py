"""Three sides of each file: as both had it last, as it is here, and as it is in the repository."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal, TypeAlias

from jackfield.api.records import record

Side: TypeAlias = Literal["here", "there", "both"]


@record
class GitChange:
    """A file that differs."""

    path: str
    side: Side
    """Where it has changed since both were the same."""
    gone: bool = False
    """Whether it was removed on the side that changed (of both: there)."""


def digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def changes(
    base: Mapping[str, str], ours: Mapping[str, str], here: Mapping[str, bytes], there: Mapping[str, bytes]
) -> list[GitChange]:
    """The differences, by path. base: digests of what both had; ours: of what was here then, where that was not the
    same. A file that differs and has changed on neither side is one of here: a push would bring it."""
    found = []
    for path in sorted({*base, *here, *there}):
        before = base.get(path)
        mine = digest(here[path]) if path in here else None
        theirs = digest(there[path]) if path in there else None
        if mine == theirs:
            continue
        kept = mine == ours.get(path, before)
        side: Side = "here" if theirs == before else "there" if kept else "both"
        found.append(GitChange(path, side, (mine if side == "here" else theirs) is None))
    return found
