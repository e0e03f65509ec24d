"""Secrets that a package was given, taken out of what it says in its errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads

_SHORTEST: Final = 6
"""Characters of a secret that is masked; shorter ones are parts of words."""


class Mask:
    """Grows with each credential that is opened."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self.add(values)

    def add(self, values: Iterable[str]) -> None:
        """A value that is JSON, such as the tokens of OAuth 2 or the key of a service account, with each text in it."""
        for value in values:
            self._secrets.update(text for text in (value, *_inside(value)) if len(text) >= _SHORTEST)

    def masked(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def _inside(value: str) -> Iterator[str]:
    if value.lstrip().startswith(("{", "[")):
        try:
            yield from _texts(loads(value.encode()))
        except InvalidInput:
            return


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
