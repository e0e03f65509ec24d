"""Parts of libraries that we replace, extend, or use although they are private.

The check says whether the installed ones are those that our code was written for. A part that has changed would fail in
the middle of a request, or silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from types import CodeType

from .records import record

OWN = "jackfield"


@record
class PatchPoint:
    """One part as our code expects it.

    `reference`: `module:name.name`. `parameters`: those of a function, in order; None: not looked at. `accepts`:
    parameters that it must have among others. `names`: what its code must name, such as attributes that it sets and
    methods that it calls. `same`: the object reference of an object that it must be, so that one is replaced where the
    library looks for it.
    """

    reference: str
    parameters: Sequence[str] | None = None
    accepts: Sequence[str] = ()
    names: Sequence[str] = ()
    same: str = ""

    def problem(self) -> str | None:
        """In words of a sentence whose subject it is; None: it fits."""
        try:
            found = _at(self.reference)
            if self.same and found is not _at(self.same):
                return f"is another object than {self.same}"
        except (ImportError, AttributeError):
            return "is not there"
        if self.parameters is None and not self.accepts and not self.names:
            return None
        code = getattr(found, "__code__", None)
        return self._changed(code) if isinstance(code, CodeType) else "is no function"

    def _changed(self, code: CodeType) -> str | None:
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if self.parameters is not None and given != tuple(self.parameters):
            return f"takes ({', '.join(given)}) and not ({', '.join(self.parameters)})"
        if missing := [name for name in self.accepts if name not in given]:
            return f"does not take {', '.join(missing)}"
        known = frozenset(_names(code))
        if missing := [name for name in self.names if name not in known]:
            return f"does not use {', '.join(missing)}"
        return None


def misfit(distribution: str, parts: Sequence[PatchPoint]) -> str | None:
    """A sentence for the user when one of the parts does not fit: which, of which versions, and what to install. None:
    all fit. It takes less than a millisecond, beside the import of the modules."""
    problems = [f"{part.reference} {problem}" for part in parts if (problem := part.problem()) is not None]
    if not problems:
        return None
    from importlib.metadata import (  # for this sentence alone: it costs a start more than all else here
        requires,
        version,
    )

    own = (one.partition(";")[0].strip() for one in requires(OWN) or ())
    wanted = next((one for one in own if one.startswith(distribution)), f"another version of {distribution}")
    return (
        f"{distribution} {version(distribution)} does not fit {OWN} {version(OWN)}: {'; '.join(problems)}. "
        f"Install {wanted}."
    )


def _at(reference: str) -> object:
    """Raises ImportError, AttributeError."""
    module, _, path = reference.partition(":")
    found: object = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


def _names(code: CodeType) -> Iterator[str]:
    """Those of the functions within it too."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
