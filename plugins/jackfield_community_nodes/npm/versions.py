"""Versions and ranges as npm has them: Semantic Versioning 2.0.0, and the grammar of node-semver."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_VERSION = re.compile(r"[v=\s]*(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
_PARTIAL = re.compile(
    r"[v=\s]*(\d{1,15}|[xX*])?(?:\.(\d{1,15}|[xX*]))?(?:\.(\d{1,15}|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?",
    re.ASCII,
)
_COMPARATOR = re.compile(r"(<=|>=|<|>|=|~>?|\^)?\s*(\S*)")
_HYPHEN = re.compile(r"\s*(\S+)\s+-\s+(\S+)\s*")
_JOINED = re.compile(r"(<=|>=|<|>|=|~>?|\^)\s+")

LONGEST_VERSION = 256
"""Characters, as in node-semver."""
LONGEST_RANGE = 512


class Version(NamedTuple):
    """pre: the parts behind the hyphen."""

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Version:
        """Raises ValueError."""
        if len(text) > LONGEST_VERSION:
            raise ValueError("it is too long for a version")
        found = _VERSION.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text[:40]!r} is no version")
        return cls(int(found[1]), int(found[2]), int(found[3]), tuple(found[4].split(".")) if found[4] else ())

    def compared(self, other: Version) -> int:
        """Below 0: it is the lower one; 0: they are the same but for what stands behind a `+`."""
        own, theirs = self.order, other.order
        return (own > theirs) - (own < theirs)

    @property
    def order(self) -> tuple[int, int, int, bool, tuple[tuple[int, int, str], ...]]:
        """A version without a hyphen is above those with one; numbers are below words (SemVer 11)."""
        parts = tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in self.pre)
        return (self.major, self.minor, self.patch, not self.pre, parts)

    @property
    def release(self) -> tuple[int, int, int]:
        return (self.major, self.minor, self.patch)


class Comparator(NamedTuple):
    """sign: one of `<`, `<=`, `>`, `>=`, `=`."""

    sign: str
    version: Version

    def admits(self, found: Version) -> bool:
        order = found.compared(self.version)
        return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "=": order == 0}[self.sign]


class VersionRange:
    """The versions that a dependency asks for: `^1.2.3`, `1.x || >=2.5 <3`, `*`."""

    def __init__(self, text: str) -> None:
        """Raises ValueError."""
        if len(text) > LONGEST_RANGE:
            raise ValueError("it is too long for a range of versions")
        self._sets = [_comparators(part) for part in text.split("||")]

    def admits(self, found: Version) -> bool:
        return any(_fits(found, comparators) for comparators in self._sets)

    def best(self, versions: Iterable[str]) -> str | None:
        """The highest of them that fits."""
        fitting = [
            (version, text) for text in versions if (version := _known(text)) is not None and self.admits(version)
        ]
        return max(fitting, key=lambda pair: pair[0].order)[1] if fitting else None


def _known(text: str) -> Version | None:
    try:
        return Version.of(text)
    except ValueError:
        return None


def _fits(found: Version, comparators: Sequence[Comparator]) -> bool:
    """One with a hyphen fits only beside a comparator of the same release that has one, too."""
    if not all(one.admits(found) for one in comparators):
        return False
    return not found.pre or any(one.version.pre and one.version.release == found.release for one in comparators)


def _comparators(text: str) -> list[Comparator]:
    hyphen = _HYPHEN.fullmatch(text)
    if hyphen is not None:
        return [*_bounds(">=", hyphen[1]), *_bounds("<=", hyphen[2])]
    made: list[Comparator] = []
    for word in _JOINED.sub(r"\1", text).split():
        found = _COMPARATOR.fullmatch(word)
        if found is None:
            raise ValueError(f"{text[:80]!r} is no range of versions")
        made += _bounds(found[1] or "", found[2])
    return made


def _bounds(sign: str, text: str) -> list[Comparator]:
    """The meaning of one comparator, by its lowest version and the one above all that it admits."""
    found = _PARTIAL.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:80]!r} is no version")
    numbers = [int(part) if part and part.isdecimal() else None for part in found.groups()[:3]]
    if numbers[0] is None:
        if sign in ("<", ">"):
            return [Comparator("<", Version(0, 0, 0, ("0",)))]
        return []
    known = numbers.index(None) if None in numbers else 3
    parts = [number or 0 if index < known else 0 for index, number in enumerate(numbers)]
    pre = tuple(found[4].split(".")) if found[4] and known == 3 else ()
    low = Version(parts[0], parts[1], parts[2], pre)
    if sign.startswith("~"):
        return _between(low, _above(parts, min(known, 2)))
    if sign == "^":
        first = next((index for index in range(3) if parts[index]), 2)
        return _between(low, _above(parts, min(first + 1, known)))
    if known == 3:
        return [Comparator(sign or "=", low)]
    after = _above(parts, known)
    if sign == ">":
        return [Comparator(">=", after)]
    if sign == "<=":
        return [Comparator("<", _first_of(after))]
    return [Comparator(sign, low if sign == ">=" else _first_of(low))] if sign in (">=", "<") else _between(low, after)


def _above(parts: Sequence[int], count: int) -> Version:
    """The first version that differs in the leading `count` numbers."""
    raised = [*parts[: count - 1], parts[count - 1] + 1, 0, 0, 0][:3]
    return Version(raised[0], raised[1], raised[2])


def _first_of(version: Version) -> Version:
    return version._replace(pre=("0",))


def _between(low: Version, high: Version) -> list[Comparator]:
    return [Comparator(">=", low), Comparator("<", _first_of(high))]
