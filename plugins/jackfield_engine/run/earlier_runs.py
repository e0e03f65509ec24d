"""Results of node runs that an execution takes over instead of running the nodes again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Protocol

from jackfield.api.history import NodeRecord, outputs_of
from jackfield.api.workflows import Items


class EarlierRuns(Protocol):
    """Iterating gives the records that are left."""

    def __bool__(self) -> bool: ...

    def __iter__(self) -> Iterator[NodeRecord]: ...

    def begun(self) -> bool:
        """Leave the start node's own run out. Whether there was one."""

    def take(self, node: str, given: Items) -> NodeRecord | None:
        """The result of this run of the node; None when it has to run. given: the execution's input items."""

    def unstored(self) -> list[NodeRecord] | None:
        """The part that is left and stands nowhere in what is stored of this execution; None: such an execution has
        none."""


class RunsInOrder:
    """An execution up to where it stopped: its results count as long as the same nodes come up, and none after that."""

    def __init__(self, records: Iterable[NodeRecord] = ()) -> None:
        self._records = deque(records)

    def __bool__(self) -> bool:
        return bool(self._records)

    def __iter__(self) -> Iterator[NodeRecord]:
        return iter(self._records)

    def begun(self) -> bool:
        if not self._records or self._records[0]["index"] != 0:
            return False
        self._records.popleft()
        return True

    def take(self, node: str, given: Items) -> NodeRecord | None:
        if not self._records:
            return None
        record = self._records[0]
        if record["node"] != node or outputs_of(record, given) is None:
            self._records.clear()
            return None
        return self._records.popleft()

    def unstored(self) -> list[NodeRecord] | None:
        return None


class RunsByNode:
    """Results of some nodes: each counts wherever its node comes up, the first for its first run. The others run."""

    def __init__(self, records: Iterable[NodeRecord]) -> None:
        self._records: dict[str, deque[NodeRecord]] = {}
        for record in records:
            if record["index"] != 0:
                self._records.setdefault(record["node"], deque()).append(record)

    def __bool__(self) -> bool:
        return bool(self._records)

    def __iter__(self) -> Iterator[NodeRecord]:
        return (record for records in self._records.values() for record in records)

    def begun(self) -> bool:
        return False

    def take(self, node: str, given: Items) -> NodeRecord | None:
        records = self._records.get(node)
        if records is None:
            return None
        record = records.popleft()
        if not records:
            del self._records[node]
        return record if outputs_of(record, given) is not None else None

    def unstored(self) -> list[NodeRecord] | None:
        return list(self)


class ResumedByNode:
    """An execution with results of some nodes up to where it stopped, and then what was left of them."""

    def __init__(self, stopped: RunsInOrder, left: RunsByNode) -> None:
        self._stopped = stopped
        self._left = left

    def __bool__(self) -> bool:
        return bool(self._stopped) or bool(self._left)

    def __iter__(self) -> Iterator[NodeRecord]:
        yield from self._stopped
        yield from self._left

    def begun(self) -> bool:
        return self._stopped.begun()

    def take(self, node: str, given: Items) -> NodeRecord | None:
        found = self._stopped.take(node, given)
        return self._left.take(node, given) if found is None else found

    def unstored(self) -> list[NodeRecord] | None:
        return self._left.unstored()
