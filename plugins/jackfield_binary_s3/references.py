"""The references to objects, as the store knows them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jackfield.api.binary import BinaryError, BinarySettings, BinaryUnavailable
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable

_REMEMBERED = 10_000
"""References that need not be written again, of this daemon."""
_FRESH = 0.5
"""Part of `binary.orphan_age` for which one is remembered: another daemon's sweep releases none that is so young."""


class FilesGoing(BinaryError):
    """A sweep has claimed the files, because nobody referred to them for `binary.s3.release_age`. Others that were
    asked for at once are referred to."""


class FileReferences:
    """Written before an object is made or read for an execution: what a crash leaves behind is known to the store."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._fresh_ms = round(context.settings(BinarySettings).orphan_age * _FRESH * 1000)
        self._written: OrderedDict[tuple[str, str], int] = OrderedDict()
        """Those of the store, and when they were written (monotonic, in ms); the oldest first."""
        self._releases = 0
        """Begun or ended here: what is written beside one may be released again."""

    async def add(self, execution_id: str, file_ids: Sequence[str]) -> None:
        """Raises `BinaryUnavailable`, `FilesGoing` for files that a sweep deletes now."""
        now, releases = self._now(), self._releases
        self._forget_old(now)
        fresh = [file_id for file_id in file_ids if (execution_id, file_id) not in self._written]
        if not fresh:
            return
        with _answering():
            going = await self._context.store.refer_to_files(execution_id, fresh, self._context.clock.now_ms())
        if releases == self._releases:
            self._written.update(((execution_id, each), now) for each in fresh if each not in going)
        if going:
            raise FilesGoing("The file does not exist any more.")

    def _now(self) -> int:
        return round(self._context.clock.boottime() * 1000)

    def _forget_old(self, now: int) -> None:
        while self._written:
            written = next(iter(self._written.values()))
            if len(self._written) <= _REMEMBERED and now - written < self._fresh_ms:
                return
            self._written.popitem(last=False)

    async def release(self, execution_ids: Sequence[str]) -> None:
        """Raises `BinaryUnavailable`."""
        gone = set(execution_ids)
        for written in [each for each in self._written if each[0] in gone]:
            del self._written[written]
        self._releases += 1
        try:
            with _answering():
                await self._context.store.release_files(list(execution_ids), self._context.clock.now_ms())
        finally:
            self._releases += 1


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except StoreUnavailable as exc:
        raise BinaryUnavailable(
            f"The store, which knows whose files are whose, does not answer: {exc.message}"
        ) from None
