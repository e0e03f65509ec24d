"""Texts of files: one JSON document each, the same bytes for the same content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

from jackfield.api.auth import Principal
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.records import record


@record
class TrackedFile:
    """title: for people, such as the workflow's name."""

    path: str
    title: str
    document: Mapping[str, Json]


class TrackedKind(Protocol):
    """folder: before the file's name; removes: whether a pull removes what is gone in the repository."""

    folder: str
    word: str
    removes: bool

    async def read(self) -> Sequence[TrackedFile]:
        """All that there is."""

    async def write(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        """Make it, or make it like this. Raises `JackfieldError`."""

    async def remove(self, name: str, author: Principal) -> None:
        """Raises `JackfieldError`."""


def text_of(document: Mapping[str, Json]) -> bytes:
    """Keys in order, two spaces, one line end."""
    return (json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2) + "\n").encode()


def document_of(path: str, text: bytes) -> Mapping[str, Json]:
    """Raises `InvalidInput`."""
    try:
        found = loads(text)
    except InvalidInput:
        found = None
    if not isinstance(found, dict):
        raise InvalidInput(f"{path} in the repository is no JSON object.")
    return found


def canonical(text: bytes) -> bytes:
    """The same document as we write it, so that another program's spaces are no change; what is no document stays."""
    try:
        found = loads(text)
    except InvalidInput:
        return text
    return text_of(found) if isinstance(found, dict) else text


def word(document: Mapping[str, Json], key: str, path: str) -> str:
    """A text that must be there. Raises `InvalidInput`."""
    found = document.get(key)
    if not isinstance(found, str) or not found.strip():
        raise InvalidInput(f"{path} in the repository has no {key}.")
    return found
