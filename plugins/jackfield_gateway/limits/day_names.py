"""Names that a key has asked for in a day, as many of them as are kept apart."""

from __future__ import annotations

OTHER = "other"
"""All further ones together."""


class DayNames:
    """Of one key."""

    def __init__(self) -> None:
        self._day = 0
        self._names: set[str] = set()

    def kept(self, name: str, day: int, most: int) -> str:
        """The name, or `OTHER`. day: such as 20261128; a new one begins with no names. most: of one day."""
        if day > self._day:
            self._day, self._names = day, set()
        if name in self._names:
            return name
        if len(self._names) >= most:
            return OTHER
        self._names.add(name)
        return name
