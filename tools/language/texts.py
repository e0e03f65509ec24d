"""A piece of text that people read, and the place where it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Passage:
    """One paragraph, heading, list item, table cell, message or docstring; code in it keeps its backticks."""

    line: int
    """The line of its file on which it begins, from 1."""
    text: str


@dataclass(frozen=True)
class Flaw:
    """A place in a passage that breaks a rule."""

    line: int
    rule: str
    message: str
    excerpt: str
