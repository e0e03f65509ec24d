"""Object references: where something of Python stands, as text. With one a plugin names things that a start need not
import."""

from __future__ import annotations

from importlib import import_module


def load(reference: str) -> object:
    """Import `package.module:name`.

    Raises:
        ValueError: The text is not of this form.
        ImportError: The module cannot be imported, or has no such name.
    """
    module, separator, name = reference.partition(":")
    if not (module and separator and name):
        raise ValueError(f"{reference!r} is no object reference; write it as package.module:name")
    found = import_module(module)
    try:
        return getattr(found, name)
    except AttributeError:
        raise ImportError(f"the module {module} has no {name}") from None


def reference_of(thing: type) -> str:
    """The object reference of a class."""
    return f"{thing.__module__}:{thing.__qualname__}"
