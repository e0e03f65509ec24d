"""Ids in paths, and how long a name may be."""

from __future__ import annotations

from jackfield.api.errors import NotFound
from jackfield.api.ids import is_uuid

MAX_NAME = 255
"""Characters of a workflow's name."""


def known_id(text: str, kind: str) -> str:
    """The id, if it can be one at all. Raises `NotFound`: what is no UUID was never given out."""
    if len(text) > 64 or not is_uuid(text):
        raise NotFound(f"There is no {kind} with this id.")
    return text
