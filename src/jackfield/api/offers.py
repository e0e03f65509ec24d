"""A port that is made only when the settings name it, and whose libraries may be missing."""

from __future__ import annotations

from collections.abc import Callable

from .errors import ConfigurationError
from .object_references import load
from .records import record


@record
class Offer:
    """An alternative that a hook such as `jackfield_store` may give in place of the port. The kernel does not even
    import the ones that nobody chooses.

    `name`: by which the settings choose it. `make`: makes the port, once. It raises `ConfigurationError` for what the
    operator can repair.
    """

    name: str
    make: Callable[[], object]


def load_driver(reference: str, missing: str) -> object:
    """The object at an object reference, for the `make` of an offer whose libraries are an extra.

    Args: reference: See `jackfield.api.object_references`. `missing`: Told where a library is not installed: which
    package it is, and what to do.

    Raises:
        ConfigurationError: The module cannot be imported.
    """
    try:
        return load(reference)
    except ImportError as exc:
        raise ConfigurationError(missing) from exc
