"""The thread that writes is never asleep while somebody relies on it."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from jackfield.api.sql.writes import Outcome, WriteOperation, WriterThread

Operation = WriteOperation[Any]  # Any: no batch is ever made


class Writer(WriterThread[Operation]):
    def reason(self, error: BaseException) -> str:
        return str(error)

    def _begin(self) -> bool:
        return True

    def _commit(self, operations: Sequence[Operation]) -> list[Outcome[Operation]]:
        return [(operation, None, None) for operation in operations]

    def _is_outage(self, error: Exception) -> bool:
        return False

    def _told(self, error: Exception) -> Exception:
        return error

    def _end(self) -> None:
        pass


class Looked(deque[Operation]):
    """Something happens right after the first look whether there is anything."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self._then: list[Callable[[], None]] = [then]

    def __bool__(self) -> bool:
        found = len(self) > 0
        if self._then:
            self._then.pop()()
        return found


class Asleep(Exception):
    pass


class Wake:
    """In place of the queue of words: nobody gives one."""

    def get(self) -> None:
        raise Asleep


def test_what_comes_as_the_last_waiting_was_dropped_is_written() -> None:
    """The loop is content when it finds the writer busy: it was told to go for what was dropped since."""
    writer = Writer(lambda _: None, batch_size=9, log=logging.getLogger("jackfield.test"))
    told: list[bool] = []

    def add() -> None:
        told.append(writer.is_busy)
        writer._waiting.append(Operation(lambda _: None, 0))

    writer.go()
    writer._waiting = Looked(add)
    writer._wake = Wake()  # type: ignore[assignment]
    assert writer._wait()
    assert told == [True]
    assert len(writer._take()) == 1
