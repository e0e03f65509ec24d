"""Who refers to which object, as the store knows it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jackfield.api.binary import BinaryError, BinaryUnavailable
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable

_REMEMBERED = 10_000
"""References that need not be written again, of this daemon."""


class FilesGoing(BinaryError):
    """A sweep has claimed the files, because nobody referred to them for `binary.s3.release_age`. Others that were
    asked for at once are referred to."""


class References:
    """Written before an object is made or read for an execution: what a crash leaves behind is known to the store."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._written: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def add(self, execution_id: str, file_ids: Sequence[str]) -> None:
        """Raises `BinaryUnavailable`, `FilesGoing` for files that a sweep deletes now."""
        fresh = [file_id for file_id in file_ids if (execution_id, file_id) not in self._written]
        if not fresh:
            return
        with _answering():
            going = await self._context.store.refer_to_files(execution_id, fresh, self._context.clock.now_ms())
        for file_id in fresh:
            if file_id not in going:
                self._written[execution_id, file_id] = None
        while len(self._written) > _REMEMBERED:
            self._written.popitem(last=False)
        if going:
            raise FilesGoing("The file does not exist any more.")

    async def release(self, execution_ids: Sequence[str]) -> None:
        """Raises `BinaryUnavailable`."""
        gone = set(execution_ids)
        for written in [each for each in self._written if each[0] in gone]:
            del self._written[written]
        with _answering():
            await self._context.store.release_files(list(execution_ids), self._context.clock.now_ms())


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except StoreUnavailable as exc:
        raise BinaryUnavailable(
            f"The store, which knows whose files are whose, does not answer: {exc.message}"
        ) from None
