"""Names of profiles. A name is a file's name, so that nothing else may be one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.similar_names import did_you_mean

_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
RULE = "letters, digits, _ and -, the first a letter or a digit, at most 64"


def is_alias(text: str) -> bool:
    return _FORM.fullmatch(text) is not None


def checked(alias: str) -> str:
    """Raises `InvalidInput` for what cannot be a profile's name."""
    if not is_alias(alias):
        raise InvalidInput("The alias is not valid.", code="ALIAS_INVALID", details={"alias": f"use {RULE}"})
    return alias


def unknown(alias: str, known: Iterable[str] = ()) -> NotFound:
    """known: aliases of which similar ones are named."""
    shown = alias if is_alias(alias) else "of this name"
    return NotFound(f"There is no profile {shown}{did_you_mean(alias, known)}", code="PROFILE_NOT_FOUND")


def taken(alias: str, by: str) -> Conflict:
    other = "" if by == alias else f" (as {by}: aliases must differ in more than upper and lower case)"
    return Conflict(f"The profile {alias} exists already{other}; choose another alias.", code="PROFILE_EXISTS")
