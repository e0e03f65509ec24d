"""Values that a document fixes, which n8n looks at before a workflow starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from jackfield.api.jsontext import Json
from jackfield_nodes.values.conversions import to_number

_ADDRESS = re.compile(
    r"(?:https?|ftp)://[/\\]*(?:[^/\\?#@]*@)?"
    r"(?:[^\s/\\?#@\[\]<>^|%:]+|\[[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*\])(?::\d*)?(?:[/\\?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""The addresses that `new URL` takes, of the kinds that n8n takes."""


def mistake(value: Json, convert: Callable[[object], object], wanted: str) -> str:
    """Why a fixed value is not what is wanted, such as `one JSON object`. Empty for one that fits, for none at all, and
    for an expression. convert: raises ValueError for what does not fit."""
    if value is None or (isinstance(value, str) and value.startswith("=")):
        return ""
    try:
        convert(value)
    except ValueError as exc:
        return f"It must be {wanted}, and it is {exc}; change it, or use an expression."
    return ""


def unfit_numbers(parameters: Mapping[str, Json], names: Iterable[str]) -> dict[str, str]:
    """Which of these parameters are no numbers: name -> the mistake."""
    found = {name: mistake(parameters.get(name), to_number, "a number") for name in names}
    return {name: told for name, told in found.items() if told}


def to_address(value: object) -> str:
    """A text that is the address of a page, also one without its scheme. Raises ValueError."""
    text = value if isinstance(value, str) else ""
    whole = text if "://" in text else f"https://{text}"
    if not _ADDRESS.fullmatch(whole.strip()):
        raise ValueError("none")
    return whole
