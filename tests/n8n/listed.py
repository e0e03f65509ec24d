"""Differences that are known and stay, each with its reason: the files of `differences`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path(__file__).with_name("differences")


@dataclass(frozen=True)
class Listed:
    """cases: names, where * stands for any text."""

    family: str
    cases: Sequence[str]
    reason: str

    def matching(self, names: Iterable[str]) -> set[str]:
        pattern = re.compile("|".join(re.escape(case).replace(r"\*", ".*") for case in self.cases), re.DOTALL)
        return {name for name in names if pattern.fullmatch(name)}


def listed(family: str | None = None) -> Iterator[Listed]:
    """All of them, or those of one family."""
    for file in sorted(DIRECTORY.glob("*.toml")):
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["difference"]:
            found = Listed(entry["family"], entry["cases"], entry["reason"])
            if family in (None, found.family):
                yield found


def problems(family: str, names: Sequence[str], different: set[str]) -> list[str]:
    """Why the list does not fit what was found: a pattern that means no case, or means one that does not differ."""
    found = []
    for entry in listed(family):
        for pattern in entry.cases:
            meant = Listed(family, [pattern], "").matching(names)
            if not meant:
                found.append(f"the list names {pattern!r}, and the family has no such case")
            found += [f"{name!r} is listed under {pattern!r} and does not differ" for name in sorted(meant - different)]
    return found


def accepted(family: str, names: Sequence[str]) -> set[str]:
    """Names of the family's cases that the list means."""
    return {name for entry in listed(family) for name in entry.matching(names)}
