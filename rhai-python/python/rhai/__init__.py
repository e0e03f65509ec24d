"""The Rhai scripting engine: small scripts within limits, with Python's values and Python's functions."""

from collections.abc import MutableMapping

from rhai._rhai import AST, Engine, Scope, ScriptFunction, __version__
from rhai.errors import (
    RhaiCancelled,
    RhaiConversionError,
    RhaiError,
    RhaiLimitError,
    RhaiRuntimeError,
    RhaiSyntaxError,
    RhaiTimeout,
)

__all__ = [
    "AST",
    "Engine",
    "RhaiCancelled",
    "RhaiConversionError",
    "RhaiError",
    "RhaiLimitError",
    "RhaiRuntimeError",
    "RhaiSyntaxError",
    "RhaiTimeout",
    "Scope",
    "ScriptFunction",
    "__version__",
]

MutableMapping.register(Scope)
