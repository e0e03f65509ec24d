"""Function and Function Item: what programs may return, what they do with files, and where their errors go."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..cases import START, TRIGGER, Document, Family, NodeCase, WorkflowCase, workflow
from .code import ITEMS, PROGRAMS

GIVEN: Mapping[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
KINDS = ("function", "functionItem")
MODES = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")


def _node(kind: str, source: str | None, on_error: str = "continueRegularOutput") -> Document:
    parameters = {} if source is None else {"functionCode": source}
    return {"type": f"n8n-nodes-base.{kind}", "typeVersion": 1, "onError": on_error, "parameters": parameters}


def _cases(
    sources: Iterable[str], kinds: Sequence[str] = KINDS, items: Sequence[Document] = ITEMS
) -> Iterator[NodeCase]:
    for source in dict.fromkeys(sources):
        for kind in kinds:
            yield NodeCase(f"{kind}: {source}", _node(kind, source), items)


def _returned() -> Iterator[NodeCase]:
    values = [f"return {value};" for value in GIVEN["returned"]]
    yield from _cases([*(f"return {value};" for value in PROGRAMS["returned"]), *values], KINDS[:1])
    yield from _cases(values, KINDS[1:])
    yield from _cases((*PROGRAMS["programs"], *GIVEN["programs"]))
    yield from _cases(GIVEN["helpers"], KINDS[:1])
    for kind in KINDS:
        yield NodeCase(f"{kind} untouched", _node(kind, None), ITEMS)


def _used() -> Iterator[NodeCase]:
    """Values as a program sees them."""
    for kind in KINDS:
        for value in dict.fromkeys((*PROGRAMS["used"], *GIVEN["used"])):
            source = f"return [{{json: {{v: {value}}}}}];" if kind == "function" else f"return {{v: {value}}};"
            yield NodeCase(f"{kind}: {value}", _node(kind, source), ITEMS[:2])


def _errors() -> Iterator[NodeCase | WorkflowCase]:
    yield from _cases((*PROGRAMS["thrown"], *GIVEN["errors"]), items=ITEMS[:2])
    yield from _cases(PROGRAMS["syntax"][:8], items=ITEMS[:2])
    for kind in KINDS:
        for mode in MODES:
            for source in GIVEN["failing"]:
                yield _behind(f"{kind}, {mode}: {source}", _node(kind, source, mode))


def _behind(name: str, node: Document) -> WorkflowCase:
    """A node alone, with one behind it."""
    nodes = [
        TRIGGER,
        {**node, "id": "F", "name": "F", "position": [0, 0]},
        {"id": "N", "name": "N", "type": "n8n-nodes-base.noOp", "typeVersion": 1, "position": [0, 0], "parameters": {}},
    ]
    links = {
        one: {"main": [[{"node": other, "type": "main", "index": 0}]]} for one, other in ((START, "F"), ("F", "N"))
    }
    return WorkflowCase(name, workflow(nodes, links), ITEMS)


FAMILIES = (
    Family("Function: what is returned", _returned),
    Family("Function: errors", _errors),
    Family("Function: values", _used),
)
