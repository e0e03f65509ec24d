"""The data that the functions of the host read from files: loaded before the process is sealed, because it opens none
later."""

from __future__ import annotations

import contextlib
import functools
from importlib import import_module


def preload(part: str) -> None:
    """A module of this package, with its data: time zones, or the languages of CLDR."""
    import_module(f"host.{part}")
    if part != "hashing":
        _keep_zones()
    if part in ("dates", "numbers"):
        import_module("host.languages").map_languages()


@functools.cache
def _keep_zones() -> list[object]:
    """Every time zone, kept so that `ZoneInfo(name)` finds it in its cache."""
    import zoneinfo

    kept: list[object] = []
    for name in sorted(zoneinfo.available_timezones()):
        with contextlib.suppress(ValueError, OSError, KeyError):
            kept.append(zoneinfo.ZoneInfo(name))
    with contextlib.suppress(LookupError):
        zoneinfo.ZoneInfo("None/Such")  # imports what the search for an unknown name does
    return kept
