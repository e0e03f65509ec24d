"""Runs cases on both sides and finds what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .cases import Case, Document, NodeCase, WorkflowCase, batches, packed, place_of
from .engines import Engine, run_data
from .normal import runs, text

MOST_TOGETHER = 100
"""Cases in one workflow."""


@dataclass(frozen=True)
class Difference:
    case: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.case}\n      n8n        {self.theirs[:600]}\n      Jackfield  {self.ours[:600]}"


class Comparison:
    """ours, theirs: Jackfield and n8n."""

    def __init__(self, ours: Engine, theirs: Engine) -> None:
        self._ours = ours
        self._theirs = theirs

    def differences(self, cases: Sequence[Case]) -> Iterator[Difference]:
        alone: list[Case] = [case for case in cases if isinstance(case, WorkflowCase)]
        for batch in batches((case for case in cases if isinstance(case, NodeCase)), MOST_TOGETHER):
            yield from self._together(batch, alone)
        for case in alone:
            yield from self._different(case, self._shown(self._ours, case), self._shown(self._theirs, case))

    def _together(self, batch: Sequence[NodeCase], alone: list[Case]) -> Iterator[Difference]:
        """A case whose node one side has not reached, as another one stopped the workflow, goes to `alone`."""
        document = packed(batch)
        ours, theirs = (run_data(engine.run(document, batch[0].items)) for engine in (self._ours, self._theirs))
        for index, case in enumerate(batch):
            place = place_of(index)
            if place in ours and place in theirs:
                shown = [runs(data[place], texts=case.texts, fields=case.fields) for data in (ours, theirs)]
                yield from self._different(case, *shown)
            else:
                alone.append(case)

    def _shown(self, engine: Engine, case: Case) -> Document:
        found = engine.run(case.document(), case.items)
        data = run_data(found)
        names: Iterable[str] = [place_of(0)] if isinstance(case, NodeCase) else case.nodes or data
        nodes = {name: data.get(name, []) for name in names}
        shown = {f"node {name}": runs(given, texts=case.texts, fields=case.fields) for name, given in nodes.items()}
        return {"status": _ended(found["status"]), "order": _order(nodes), **shown}

    def _different(self, case: Case, ours: object, theirs: object) -> Iterator[Difference]:
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
