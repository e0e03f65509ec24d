"""`--limit NAME=VALUE` of `jackfield profiles create` and `edit`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from jackfield.api.jsontext import Json

NAMES = ("memory", "processes", "cpu")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?", re.IGNORECASE)


def limits_of(texts: Sequence[str]) -> dict[str, Json]:
    """As the API takes them. Raises `click.BadParameter`."""
    found: dict[str, Json] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in NAMES:
            raise click.BadParameter(f"'{name}' is no limit; use one of {', '.join(NAMES)}.", param_hint="--limit")
        found[name] = _value(name, value.strip())
    return found


def _value(name: str, text: str) -> Json:
    try:
        if name == "memory":
            size = _SIZE.fullmatch(text)
            if size is None:
                raise ValueError
            return int(float(size[1]) * _UNITS[size[2].upper()])
        return int(text) if name == "processes" else float(text)
    except ValueError:
        example = {"memory": "4GiB", "processes": "500", "cpu": "1.5"}[name]
        raise click.BadParameter(
            f"'{text}' is no {name}; write it as {name}={example}.", param_hint="--limit"
        ) from None


limit_option = click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="Bound all processes of one run together: memory=4GiB, processes=500 or cpu=1.5; repeatable.",
)
