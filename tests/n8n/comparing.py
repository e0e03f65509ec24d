"""Runs cases on both sides and finds what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

from .cases import Case, Document, NodeCase, WorkflowCase, batches, packed, place_of
from .engines import Engine, RunData, run_data
from .normal import runs, text

GivenT = TypeVar("GivenT")
FoundT = TypeVar("FoundT")
BEFORE, SHOWN = 60, 600
"""Characters that are shown of a difference: in front of it, and all."""
MOST_TOGETHER = 100
"""Cases in one workflow."""


@dataclass(frozen=True)
class Difference:
    case: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        same = (one == other for one, other in zip(self.ours, self.theirs, strict=False))
        first = max(sum(1 for _ in takewhile(bool, same)) - BEFORE, 0)
        ours, theirs = self.ours[first : first + SHOWN], self.theirs[first : first + SHOWN]
        return f"{self.case}\n      n8n        {theirs}\n      Jackfield  {ours}"


class Comparison:
    """ours, theirs: Jackfield and n8n."""

    def __init__(self, ours: Engine, theirs: Engine) -> None:
        self._ours = ours
        self._theirs = theirs

    def differences(self, cases: Sequence[Case]) -> Iterator[Difference]:
        alone: list[Case] = [case for case in cases if isinstance(case, WorkflowCase)]
        together = batches((case for case in cases if isinstance(case, NodeCase)), MOST_TOGETHER)
        for batch, ours, theirs in self._side_by_side(_run_together, together):
            yield from self._of_batch(batch, ours, theirs, alone)
        for case, shown, beside in self._side_by_side(_shown, alone):
            yield from _different(case, shown, beside)

    def _side_by_side(
        self, run: Callable[[Engine, GivenT], FoundT], given: Sequence[GivenT]
    ) -> Iterator[tuple[GivenT, FoundT, FoundT]]:
        """Each with what both sides made of it. A side has one at a time; the sides do not wait for each other."""
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
            ours = one.map(lambda each: run(self._ours, each), given)
            theirs = other.map(lambda each: run(self._theirs, each), given)
            yield from zip(given, ours, theirs, strict=True)

    def _of_batch(
        self, batch: Sequence[NodeCase], ours: RunData, theirs: RunData, alone: list[Case]
    ) -> Iterator[Difference]:
        """A case whose node one side has not reached, as another one stopped the workflow, goes to `alone`."""
        for index, case in enumerate(batch):
            place = place_of(index)
            if place in ours and place in theirs:
                shown = [runs(data[place], texts=case.texts, fields=case.fields) for data in (ours, theirs)]
                yield from _different(case, *shown)
            else:
                alone.append(case)


def _run_together(engine: Engine, batch: Sequence[NodeCase]) -> RunData:
    return run_data(engine.run(packed(batch), batch[0].items))


def _shown(engine: Engine, case: Case) -> Document:
    found = engine.run(case.document(), case.items)
    data = run_data(found)
    names: Iterable[str] = [place_of(0)] if isinstance(case, NodeCase) else case.nodes or data
    nodes = {name: data.get(name, []) for name in names}
    shown = {f"node {name}": runs(given, texts=case.texts, fields=case.fields) for name, given in nodes.items()}
    return {"status": _ended(found["status"]), "order": _order(nodes), **shown}


def _different(case: Case, ours: object, theirs: object) -> Iterator[Difference]:
    if text(ours) != text(theirs):
        yield Difference(case.name, text(_apart(ours, theirs)), text(_apart(theirs, ours)))


def _apart(one: object, other: object) -> object:
    """One without what the other has as well."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one
    return {key: value for key, value in one.items() if key not in other or text(value) != text(other[key])}


def _order(data: Mapping[str, Sequence[Document]]) -> list[str]:
    """The nodes as they ran."""
    return [name for _, name in sorted((run["index"], name) for name, found in data.items() for run in found)]


def _ended(status: str) -> str:
    return "success" if status == "success" else "error"
