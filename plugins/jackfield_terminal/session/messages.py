"""The messages of clients: JSON, checked.

Source: docs/decisions.md, 'Terminals'.
"""

from __future__ import annotations

import signal
from typing import TypeAlias

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield_terminal.whole_numbers import whole

LARGEST_SIZE = 1000
_SIGNALS = frozenset(int(number) for number in signal.valid_signals())


@record
class Resize:
    cols: int
    rows: int


@record
class Signal:
    number: int


@record
class TakenOutput:
    """The client has worked off that many bytes of output more."""

    size: int


ClientMessage: TypeAlias = Resize | Signal | TakenOutput


def parsed(text: str) -> ClientMessage:
    """Raises `InvalidInput` with what is wrong."""
    try:
        message = jsontext.loads(text.encode("utf-8", "surrogatepass"))
    except InvalidInput:
        raise InvalidInput("The message is not JSON; send an object with a `type`.") from None
    if not isinstance(message, dict):
        raise InvalidInput("The message must be an object with a `type`.")
    match message.get("type"):
        case "resize":
            return Resize(_size(message, "cols"), _size(message, "rows"))
        case "signal":
            number = whole(message.get("signal"))
            if type(number) is not int or number not in _SIGNALS:
                raise InvalidInput("`signal` must be the number of a signal, such as 2.")
            return Signal(number)
        case "taken":
            size = whole(message.get("bytes"))
            if type(size) is not int or size < 0:
                raise InvalidInput("`bytes` must be a whole number.")
            return TakenOutput(size)
        case _:
            raise InvalidInput("`type` must be `resize`, `signal` or `taken`; input is sent as binary frames.")


def _size(message: dict[str, jsontext.Json], name: str) -> int:
    value = whole(message.get(name))
    if type(value) is not int or not 1 <= value <= LARGEST_SIZE:
        raise InvalidInput(f"`{name}` must be a whole number from 1 to {LARGEST_SIZE}.")
    return value
