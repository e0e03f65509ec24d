"""The raw application that serves a path, by the first segment, or by the first two.

The longer one wins, and the path alone wins over both.
"""

from __future__ import annotations

from collections.abc import Iterable

from jackfield.api.asgi import AsgiMount
from jackfield.api.errors import ConfigurationError

_ALONE = "/"
"""In the place of a second segment: the path of the first one, and nothing below."""


class Mounts:
    """Built once. For a segment that nobody divides further, as those of webhooks, a look is one dictionary lookup."""

    def __init__(self, mounts: Iterable[AsgiMount]) -> None:
        """Raises `ConfigurationError` when two plugins want one path, or a segment is more than two of them. The
        empty segment is the path `/` alone."""
        self._whole: dict[str, AsgiMount] = {}
        self._divided: dict[str, dict[str, AsgiMount]] = {}
        """First segment -> second segment -> mount; under the empty text the one for all others."""
        for mount in mounts:
            self._add(mount)
        for first, below in self._divided.items():
            if first in self._whole:
                below[""] = self._whole.pop(first)

    def _add(self, mount: AsgiMount) -> None:
        first, separator, second = mount.segment.partition("/")
        if "/" in second or (separator and not first):
            raise ConfigurationError(f"A plugin serves the path /{mount.segment}, which must be one or two segments.")
        below = second or _ALONE
        known, key = (self._divided.setdefault(first, {}), below) if separator else (self._whole, first)
        if known.setdefault(key, mount) is not mount:
            raise ConfigurationError(f"Two plugins serve the path /{mount.segment}.")

    def find(self, path: str) -> AsgiMount | None:
        """None: the path is Quart's."""
        return self._whole.get(path[1:].partition("/")[0]) or self._below(path)

    def _below(self, path: str) -> AsgiMount | None:
        first, _, rest = path[1:].partition("/")
        below = self._divided.get(first)
        if below is None:
            return None
        return below.get(rest.partition("/")[0] or _alone(rest)) or below.get("")


def _alone(rest: str) -> str:
    return "" if rest else _ALONE
