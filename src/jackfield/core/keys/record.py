"""A store's record of the keys that seal its secrets: fingerprints and times, never a key."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from jackfield.api.errors import ConfigurationError
from jackfield.api.records import record, replace

FACT = "master-key"
"""Name of the fact that holds it, as JSON."""


@record
class ReplacedKey:
    """since, until: when it sealed, Unix ms."""

    fingerprint: str
    since: int
    until: int


@record
class KeyRecord:
    """`fingerprint`: of the key that seals.

    `since`: since when, Unix ms. `resealing`: it has replaced another one, and not everything is sealed anew yet.
    `earlier`: those that still open, newest first.
    """

    fingerprint: str
    since: int
    resealing: bool = False
    earlier: Sequence[ReplacedKey] = ()

    def replaced_by(self, fingerprint: str, now: int) -> KeyRecord:
        """With another key, which begins now. A key that comes back is no earlier one any more."""
        known = (ReplacedKey(self.fingerprint, self.since, now), *self.earlier)
        return KeyRecord(fingerprint, now, True, tuple(each for each in known if each.fingerprint != fingerprint))

    def resealed(self) -> KeyRecord:
        """Everything is sealed with the key."""
        return replace(self, resealing=False)

    def forgotten(self) -> KeyRecord:
        """No earlier key is there any more."""
        return replace(self, earlier=())

    def text(self) -> str:
        earlier = [{"fingerprint": each.fingerprint, "since": each.since, "until": each.until} for each in self.earlier]
        found = {
            "fingerprint": self.fingerprint, "since": self.since, "resealing": self.resealing, "earlier": earlier,
        }  # fmt: skip
        return orjson.dumps(found).decode()


def read_record(text: str) -> KeyRecord:
    """Raises `ConfigurationError` for what was not written by this version or one before."""
    try:
        found = orjson.loads(text)
        earlier = [
            ReplacedKey(str(each["fingerprint"]), int(each["since"]), int(each["until"])) for each in found["earlier"]
        ]
        return KeyRecord(str(found["fingerprint"]), int(found["since"]), bool(found["resealing"]), tuple(earlier))
    except (ValueError, KeyError, TypeError):
        raise ConfigurationError(
            "The store's note of its master key cannot be read: a newer version has written it, or it is damaged. "
            "Update the program or restore a backup."
        ) from None
