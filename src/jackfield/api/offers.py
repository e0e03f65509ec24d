"""A port that is made only when the settings name it."""

from __future__ import annotations

from collections.abc import Callable

from .records import record


@record
class Offer:
    """What a hook such as `jackfield_store` may give in place of the port: whoever is not chosen is not even imported.

    name: by which the settings choose it; make: makes the port, once. It raises `ConfigurationError` for what the
    operator can mend."""

    name: str
    make: Callable[[], object]
