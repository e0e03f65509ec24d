"""The errors that a script can end with.

Exceptions of registered functions are not wrapped: they arrive as they were raised.
"""

from typing import Any


class RhaiError(Exception):
    """A script failed.

    `line` and `column` count from 1, None if unknown. `kind` is Rhai's name for the error, such as
    `ErrorVariableNotFound`. `source` is the name that the script was compiled with, or that of the module.
    """

    def __init__(
        self,
        message: str = "",
        *,
        line: int | None = None,
        column: int | None = None,
        kind: str = "",
        source: str | None = None,
    ) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.kind = kind
        self.source = source

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors can cross process boundaries."""
        return _rebuild, (type(self), self.args, self.__dict__)


class RhaiSyntaxError(RhaiError):
    """A script cannot be compiled."""


class RhaiRuntimeError(RhaiError):
    """A script failed while it ran. `value` is what it threw, None if it threw nothing."""

    def __init__(
        self,
        message: str = "",
        *,
        line: int | None = None,
        column: int | None = None,
        kind: str = "",
        source: str | None = None,
        value: object = None,
    ) -> None:
        super().__init__(message, line=line, column=column, kind=kind, source=source)
        self.value = value


class RhaiConversionError(RhaiRuntimeError, TypeError):
    """A script's value has no counterpart in Python; the message names the path to it."""


class RhaiLimitError(RhaiRuntimeError):
    """A script used more than it may. Scripts cannot catch this."""


class RhaiTimeout(RhaiLimitError):
    """A script ran past its deadline."""


class RhaiCancelled(RhaiLimitError):
    """`Engine.cancel` ended the script."""


def _rebuild(kind: type[RhaiError], args: tuple[Any, ...], state: dict[str, Any]) -> RhaiError:
    error = kind(*args)
    error.__dict__.update(state)
    return error
