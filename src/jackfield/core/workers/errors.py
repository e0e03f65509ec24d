"""Errors on their way to another process."""

from __future__ import annotations

import pickle
from typing import Any, cast

from jackfield.api.errors import JackfieldError

Told = tuple[type[BaseException], tuple[object, ...], dict[str, object]]


def told(error: BaseException) -> Told:
    """The parts that make it again, whatever its class takes. One that cannot cross is an error of the service."""
    found: Told = type(error), error.args, dict(vars(error))
    try:
        pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    except Exception:
        made = JackfieldError(f"The store failed: {type(error).__name__}.")
        return type(made), made.args, dict(vars(made))
    return found


def made(found: Told) -> BaseException:
    kind, args, fields = found
    error = cast("Any", kind).__new__(kind, *args)  # Any: an exception's class takes what it was made with
    error.args = args
    vars(error).update(fields)
    return cast("BaseException", error)
