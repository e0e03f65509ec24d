"""Shapes of parameters that several nodes share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator


def _located(value: object) -> object:
    """The value of a resource locator: `{"__rl": true, "mode": "list", "value": "users"}`."""
    found = value.get("value") if isinstance(value, dict) else value
    return "" if found is None else found


def _text(value: object) -> object:
    return "" if value is None else value


Locator: TypeAlias = Annotated[str, BeforeValidator(_located)]
"""A name, given as it is or as a resource locator."""

Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
"""A text; null, which an expression may give, is an empty one."""


def names(text: str) -> list[str]:
    """The entries of a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]
