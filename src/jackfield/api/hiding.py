"""JSON without the values of secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .json_values import Json

Hide: TypeAlias = Callable[[str], str]
"""Replaces what is secret in a text; see `Secrets.hide`."""


def masked(value: object, hide: Hide) -> Json:
    """Text by text, so that a secret that looks like JSON cannot break what it stands in."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): masked(item, hide) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(item, hide) for item in value]
    return hide(str(value))
