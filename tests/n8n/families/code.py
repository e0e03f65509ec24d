"""Code nodes: what programs may return, see and use, and how their errors read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..cases import Document, Family, NodeCase

ITEMS: Sequence[Document] = (
    {"json": {"n": 3, "t": "Ann", "list": [3, 1, 2], "o": {"a": {"b": 1}}, "d": "2026-05-10T10:11:12.000Z"}},
    {"json": {"n": 1, "t": "Bob", "none": None}, "binary": {"file": {"data": "aGk=", "mimeType": "text/plain"}}},
    {"json": {"n": 2, "t": "éß"}},
)
PROGRAMS: Mapping[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
WORDED_BY_N8N = frozenset({"$('Nope').isExecuted", "$('Nope').all()", "$getWorkflowStaticData('other')"})
"""Values that fail with a text of n8n's own: that there is an error is compared."""
MODES = {"all": "runOnceForAllItems", "each": "runOnceForEachItem"}


def code(source: str, mode: str, on_error: str = "continueRegularOutput", version: float = 2) -> Document:
    return {
        "type": "n8n-nodes-base.code",
        "typeVersion": version,
        "onError": on_error,
        "parameters": {"mode": MODES[mode], "jsCode": source},
    }


def cases(sources: Iterable[str], modes: Sequence[str], items: Sequence[Document] = ITEMS) -> Iterator[NodeCase]:
    for source in dict.fromkeys(sources):
        for mode in modes:
            yield NodeCase(f"{mode}: {source}", code(source, mode), items, texts=True)


def returned() -> Iterable[NodeCase]:
    yield from cases((f"return {value};" for value in PROGRAMS["returned"]), ("all", "each"))
    yield from cases(PROGRAMS["programs"], ("all", "each"))
    yield from (
        NodeCase(f"one item: {case.name}", case.node, ITEMS[:1], True)
        for case in cases((f"return {value};" for value in PROGRAMS["returned"][:60]), ("all",))
    )


def errors() -> Iterable[NodeCase]:
    yield from cases(PROGRAMS["errors"], ("all",), ITEMS[:1])
    yield from cases(PROGRAMS["thrown"], ("all",), ITEMS[:1])
    yield from cases((*PROGRAMS["thrown"], *PROGRAMS["errors"][:20]), ("each",))
    caught = (
        "try { %s } catch (e) { return [{json: {m: e.message, n: e.name, t: typeof e.stack, i: e instanceof Error}}]; }"
    )
    yield from cases((caught % source for source in PROGRAMS["caught"]), ("all",), ITEMS[:1])


def syntax() -> Iterable[NodeCase]:
    yield from cases(PROGRAMS["syntax"], ("all",), ITEMS[:1])


def used() -> Iterable[NodeCase]:
    """Values as a program sees them."""
    for mode in ("all", "each"):
        for value in PROGRAMS["used"]:
            source = f"return {{json: {{v: {value}}}}};"
            yield NodeCase(f"{mode}: {value}", code(source, mode), ITEMS[:2], texts=value not in WORDED_BY_N8N)


FAMILIES = (
    Family("Code: what is returned", returned),
    Family("Code: errors", errors),
    Family("Code: errors of syntax", syntax),
    Family("Code: values and functions", used),
)
