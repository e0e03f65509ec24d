"""Vectors in memory, found by the cosine of their angle."""

from __future__ import annotations

import math
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from heapq import nlargest
from operator import mul

from jackfield.api.ai import Document
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace


class Vectors:
    """Documents with their vectors. limit: most documents."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows: list[tuple[array[float], Document]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def check_room(self, more: int) -> None:
        """Raises `NodeError` when there would be too many; asked before anything is paid for."""
        if len(self._rows) + more > self._limit:
            raise NodeError(
                f"The in-memory vector store would hold more than {self._limit} documents (ai.vector_documents); use "
                "a database for that many."
            )

    def add(self, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
        """Raises `NodeError` when there would be too many, or vectors of another length."""
        self.check_room(len(documents))
        known = len(self._rows[0][0]) if self._rows else None
        made = [unit(vector) for vector in vectors]
        if any(len(vector) != (known or len(made[0])) for vector in made):
            raise NodeError("The embeddings have another length than those stored; use the same model, or clear it.")
        self._rows += zip(made, documents, strict=True)

    def clear(self) -> None:
        self._rows.clear()

    def nearest(self, vector: Sequence[float], limit: int) -> list[Document]:
        """The nearest documents with their scores, best first. Raises `NodeError`."""
        wanted, rows = unit(vector), list(self._rows)
        if rows and len(rows[0][0]) != len(wanted):
            raise NodeError("The embedding of the question has another length than those stored; use the same model.")
        scored = [(sum(map(mul, wanted, row)), place) for place, (row, _) in enumerate(rows)]
        best = nlargest(limit, scored, key=lambda one: (one[0], -one[1]))
        return [replace(rows[place][1], score=score) for score, place in best]


def unit(vector: Sequence[float]) -> array[float]:
    length = math.sqrt(sum(map(mul, vector, vector))) or 1.0
    return array("d", [number / length for number in vector])


class VectorStores:
    """The stores of this process, by workflow and key; the one used longest ago is forgotten first."""

    def __init__(self, stores: int, documents: int) -> None:
        self._limit = stores
        self._documents = documents
        self._stores: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def of(self, workflow: str, key: str) -> Vectors:
        found = self._stores.setdefault((workflow, key), Vectors(self._documents))
        self._stores.move_to_end((workflow, key))
        while len(self._stores) > self._limit:
            self._stores.popitem(last=False)
        return found
