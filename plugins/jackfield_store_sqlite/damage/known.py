"""Damage that was found and that nobody has acknowledged: a file beside the database, so that no start forgets it."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import orjson

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import read_private, write_private
from jackfield.api.records import record, replace

LIMIT = 20
"""Findings that are kept; more say nothing new."""
REMEDY = "restore a backup, or accept it with `jackfield acknowledge-damage`"


@record
class DamageFinding:
    """text: a sentence; lost: commits that are missing, as far as that is known; accepted: somebody acknowledged it."""

    text: str
    lost: int = 0
    accepted: bool = False


class KnownDamage:
    """Every method may be called on any thread but the event loop's; `findings` on each."""

    def __init__(self, database: Path, log: logging.Logger) -> None:
        self.path = database.with_name(database.name + "-damage")
        self._log = log
        self._lock = threading.Lock()
        self._unsaved: list[DamageFinding] = []
        self.findings: Sequence[DamageFinding] = ()
        """The findings that nobody has acknowledged."""
        self.accepted: frozenset[str] = frozenset()
        """Texts that somebody has: what is still so is not told again."""

    def refresh(self) -> None:
        """Read the file's state again: a command may have acknowledged it.

        A finding that could not be written is tried again.
        """
        with self._lock:
            stored: Sequence[DamageFinding] = _stored(self.path)
            if self._unsaved:
                stored = self._saved(stored, self._unsaved)
            self._show(stored)

    def add(self, found: Sequence[DamageFinding]) -> None:
        """Keep what is not known yet, and log it."""
        with self._lock:
            known = _stored(self.path)
            texts = {each.text for each in (*known, *self._unsaved)}
            new = [each for each in found if each.lost or each.text not in texts]
            self._show(self._saved(known, [*self._unsaved, *new]))
        for each in new:
            self._log.error("%s To do: %s.", each.text, REMEDY)

    def acknowledge(self) -> Sequence[DamageFinding]:
        """Forget it; what was forgotten. Raises `ConfigurationError`."""
        with self._lock:
            known = [*_stored(self.path), *self._unsaved]
            if known:
                _write(self.path, [replace(each, accepted=True) for each in known[-LIMIT:]])
            self._unsaved = []
            self._show(_stored(self.path))
            return [each for each in known if not each.accepted]

    def _show(self, every: Sequence[DamageFinding]) -> None:
        self.findings = [each for each in every if not each.accepted]
        self.accepted = frozenset(each.text for each in every if each.accepted)

    def _saved(self, stored: Sequence[DamageFinding], new: Sequence[DamageFinding]) -> Sequence[DamageFinding]:
        if not new:
            return stored
        open_ones = [*(each for each in stored if not each.accepted), *new][:LIMIT]
        every = [*(each for each in stored if each.accepted), *open_ones]
        try:
            _write(self.path, every)
            self._unsaved = []
        except ConfigurationError:
            self._unsaved = list(new)
        return every


def _write(path: Path, findings: Sequence[DamageFinding]) -> None:
    """Raises `ConfigurationError`."""
    fields = [{"text": each.text, "lost": each.lost, "accepted": each.accepted} for each in findings]
    write_private(path, orjson.dumps(fields))


def _stored(path: Path) -> list[DamageFinding]:
    """A file that is itself damaged still says that there is damage."""
    content = None
    with contextlib.suppress(ConfigurationError):
        content = read_private(path)
    if content is None:
        return []
    try:
        return [
            DamageFinding(str(each["text"]), int(each["lost"]), bool(each["accepted"]))
            for each in orjson.loads(content)
        ]
    except (ValueError, TypeError, KeyError):
        return [DamageFinding(f"Damage was found, but {path} cannot be read any more.")]
