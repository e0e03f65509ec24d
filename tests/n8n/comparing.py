"""Runs cases on both sides and finds what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
                shown = [text(runs(data[place], texts=case.texts, fields=case.fields)) for data in (ours, theirs)]
                yield from self._different(case, *shown)
            else:
                alone.append(case)

    def _shown(self, engine: Engine, case: Case) -> str:
        found = engine.run(case.document(), case.items)
        data = run_data(found)
        names: Iterable[str] = [place_of(0)] if isinstance(case, NodeCase) else case.nodes or data
        nodes: Document = {name: runs(data.get(name, []), texts=case.texts, fields=case.fields) for name in names}
        return text({"status": _ended(found["status"]), "nodes": nodes})

    def _different(self, case: Case, ours: str, theirs: str) -> Iterator[Difference]:
        if ours != theirs:
            yield Difference(case.name, ours, theirs)


def _ended(status: str) -> str:
    return "success" if status == "success" else "error"
