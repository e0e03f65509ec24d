"""Places: where something of Python stands, as text. A plugin names by place what a start need not import."""

from __future__ import annotations

from importlib import import_module


def load(place: str) -> object:
    """Import `package.module:name`.

    Raises:
        ValueError: The text is not of this form.
        ImportError: The module cannot be imported, or has no such name.
    """
    module, separator, name = place.partition(":")
    if not (module and separator and name):
        raise ValueError(f"{place!r} is no place; write it as package.module:name")
    found = import_module(module)
    try:
        return getattr(found, name)
    except AttributeError:
        raise ImportError(f"the module {module} has no {name}") from None


def place_of(thing: type) -> str:
    """The place of a class."""
    return f"{thing.__module__}:{thing.__qualname__}"
