"""Nodes of several inputs: Merge, Compare Datasets. Their inputs are lists of the trigger's item, split out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..cases import START, TRIGGER, Document, Family, WorkflowCase, workflow
from .fields import GOES_ON

CASE = "Case"
SOURCES = ("a", "b", "c")
LEFT: Sequence[Document] = (
    {"id": 1, "name": "Ann", "o": {"k": "x", "l": [1, 2]}, "v": None},
    {"id": "2", "name": "Bob", "o": {"k": "y"}, "v": ""},
    {"id": 3, "name": "Cid", "extra": True, "v": 0},
    {"id": 1, "name": "Dan", "v": [1]},
    {"name": "Eve", "id": None},
)
RIGHT: Sequence[Document] = (
    {"id": 1, "name": "One", "o": {"l": [9], "m": 1}, "v": "new"},
    {"id": 2, "name": "Two", "o": {"k": "y"}, "v": ""},
    {"id": "3", "name": "", "v": None},
    {"id": 1, "name": "Uno", "more": {"a": 1}},
    {"key": 1, "id": True},
)
THIRD: Sequence[Document] = ({"id": 9, "name": "Nine"},)
SAME: Sequence[Document] = (
    {"id": 1, "a": "x", "n": 1, "o": {"p": 1, "q": 2}},
    {"id": 2, "a": "X", "n": "1", "o": {"p": 1}},
    {"id": 3, "a": "z"},
    {"id": 4, "a": None, "l": []},
)
OTHER: Sequence[Document] = (
    {"id": 1, "a": "x", "n": 1, "o": {"p": 1, "q": 2}},
    {"id": 2, "a": "X", "n": 1, "o": {"p": 1, "q": 3}},
    {"id": 3, "a": "z", "b": 1},
    {"id": "4", "a": "", "l": None},
    {"id": 5},
)


def several(name: str, node: Document, *inputs: Sequence[Document] | None) -> WorkflowCase:
    """A node behind sources of these items; an input of None is wired to nothing."""
    nodes: list[Document] = [TRIGGER]
    links: Document = {START: {"main": [[]]}}
    for index, items in enumerate(inputs):
        if items is None:
            continue
        source = SOURCES[index]
        split = {"fieldToSplitOut": source, "options": {}}
        nodes.append(_placed(source, {"type": "n8n-nodes-base.splitOut", "typeVersion": 1, "parameters": split}, index))
        links[START]["main"][0].append({"node": source, "type": "main", "index": 0})
        links[source] = {"main": [[{"node": CASE, "type": "main", "index": index}]]}
    nodes.append(_placed(CASE, {"onError": GOES_ON, **node}, 9))
    given = {source: list(items) for source, items in zip(SOURCES, inputs, strict=False) if items is not None}
    return WorkflowCase(name, workflow(nodes, links), ({"json": given},), nodes=(CASE,))


def _placed(name: str, node: Document, place: int) -> Document:
    return {"parameters": {}, **node, "id": name, "name": name, "position": [200, 100 * place]}


def merge(version: float, parameters: Document, **more: object) -> Document:
    return {"type": "n8n-nodes-base.merge", "typeVersion": version, "parameters": parameters, **more}


INPUTS: dict[str, tuple[Sequence[Document] | None, ...]] = {
    "both": (LEFT, RIGHT),
    "left": (LEFT, ()),
    "right": ((), RIGHT),
    "none": ((), ()),
    "only": (LEFT, None),
}


def legacy() -> Iterator[tuple[str, Document]]:
    yield "left out", {}
    for mode in ("append", "passThrough", "wait", "multiplex"):
        yield mode, {"mode": mode}
    yield "second passes", {"mode": "passThrough", "output": "input2"}
    for join in (None, "inner", "left", "outer"):
        yield f"by index {join}", {"mode": "mergeByIndex", **({} if join is None else {"join": join})}
    for mode in ("keepKeyMatches", "mergeByKey", "removeKeyMatches"):
        for first, second in (("id", "id"), ("o.k", "o.k"), ("name", "id"), ("missing", "id"), ("id", "missing")):
            yield f"{mode} {first} {second}", {"mode": mode, "propertyName1": first, "propertyName2": second}
        for overwrite in ("always", "blank", "undefined"):
            by_id = {"mode": mode, "propertyName1": "id", "propertyName2": "id", "overwrite": overwrite}
            yield f"{mode} overwrite {overwrite}", by_id


CLASHES: Sequence[Document] = (
    {"resolveClash": "addSuffix"},
    {"resolveClash": "preferInput1"},
    {"resolveClash": "preferInput2"},
    {"resolveClash": "preferLast"},
    {"resolveClash": "preferInput1", "mergeMode": "shallowMerge"},
    {"resolveClash": "preferInput2", "mergeMode": "shallowMerge"},
    {"resolveClash": "preferInput1", "overrideEmpty": True},
    {"resolveClash": "preferInput2", "overrideEmpty": True},
    {"mergeMode": "shallowMerge", "overrideEmpty": True},
    {},
)
JOINS = ("keepMatches", "keepNonMatches", "keepEverything", "enrichInput1", "enrichInput2")


def clash(values: Document) -> Document:
    return {"clashHandling": {"values": values}}


def joined(by: Document, fields: Document) -> Iterator[tuple[str, Document]]:
    for join in (None, *JOINS):
        for source in (None, "both", "input1", "input2"):
            more: Document = {} if join is None else {"joinMode": join}
            more |= {} if source is None else {"outputDataFrom": source}
            for options in ({"multipleMatches": "first"}, {"fuzzyCompare": True}):
                yield f"join {join} {source} {options}", {**by, **fields, **more, "options": options}
    for values in CLASHES:
        for join in ("keepEverything", "enrichInput2"):
            yield f"clash {join} {values}", {**by, **fields, "joinMode": join, "options": clash(values)}


def by_fields(*pairs: tuple[str, str]) -> Document:
    return {"mergeByFields": {"values": [{"field1": first, "field2": second} for first, second in pairs]}}


def second_version() -> Iterator[tuple[str, Document]]:
    yield "left out", {}
    yield "append", {"mode": "append"}
    for output in (None, "input1", "input2", "empty"):
        yield f"branch {output}", {"mode": "chooseBranch", **({} if output is None else {"output": output})}
    combine = {"mode": "combine", "combinationMode": "mergeByFields"}
    yield from joined(combine, by_fields(("id", "id")))
    yield "no fields", combine
    yield "two fields", {**combine, **by_fields(("id", "id"), ("o.k", "o.k"))}
    yield "paths", {**combine, **by_fields(("o.k", "o.k"))}
    yield "no dots", {**combine, **by_fields(("o.k", "o.k")), "options": {"disableDotNotation": True}}
    yield "other names", {**combine, **by_fields(("id", "key"))}
    for mode in ("mergeByPosition", "multiplex"):
        for options in ({}, {"includeUnpaired": True}, *map(clash, CLASHES)):
            yield f"{mode} {options}", {"mode": "combine", "combinationMode": mode, "options": options}


def third_version() -> Iterator[tuple[str, Document]]:
    yield "left out", {}
    yield "append", {"mode": "append"}
    for more in ({}, {"output": "specifiedInput"}, {"output": "empty"}, {"useDataOfInput": 2}, {"useDataOfInput": "2"}):
        yield f"branch {more}", {"mode": "chooseBranch", **more}
    combine = {"mode": "combine"}
    yield from joined(combine, {"fieldsToMatchString": "id"})
    yield "no fields", combine
    yield "two fields", {**combine, "fieldsToMatchString": "id, name"}
    yield "paths", {**combine, "fieldsToMatchString": "o.k"}
    yield "no dots", {**combine, "fieldsToMatchString": "o.k", "options": {"disableDotNotation": True}}
    yield "other names", {**combine, "advanced": True, **by_fields(("id", "key"))}
    for mode in ("combineByPosition", "combineAll"):
        for options in ({}, {"includeUnpaired": True}, *map(clash, CLASHES)):
            yield f"{mode} {options}", {**combine, "combineBy": mode, "options": options}
    for title, query in QUERIES.items():
        yield f"sql {title}", {"mode": "combineBySql", **({} if query is None else {"query": query})}
    placed = {"mode": "combineBySql", "query": "SELECT id, name FROM input1 WHERE id = ? AND name <> ?"}
    for values in ("1, Dan", ["={{ 1 }}", "Ann"], [1, "Ann"], "2,", "nobody,x", [{}, "x"]):
        yield f"sql of {values}", {**placed, "options": {"queryParameters": values}}
    yield "sql of 3", {**placed, "query": "SELECT name FROM input1 WHERE id = ?", "options": {"queryParameters": 3}}


QUERIES: dict[str, str | None] = {
    "left out": None,
    "union": "SELECT name FROM input1 UNION ALL SELECT name FROM input2",
    "join": "SELECT input1.name, input2.name AS other FROM input1 JOIN input2 ON input1.id = input2.id",
    "one": "SELECT id, name FROM input1 WHERE name = 'Ann'",
    "count": "SELECT COUNT(*) AS n FROM input2",
    "nothing": "SELECT name FROM input1 WHERE name = 'nobody'",
    "everything": "SELECT * FROM input2 WHERE name <> 'Two'",
    "aliases": "SELECT a.id, b.name FROM input1 AS a LEFT JOIN input2 AS b ON a.name = b.name",
    "unmatched": "SELECT input1.name, input2.v AS other FROM input1 LEFT JOIN input2 ON input1.name = input2.name",
    "distinct": "SELECT DISTINCT v FROM input2",
    "groups": "SELECT name, COUNT(*) AS n FROM input2 GROUP BY name",
    "lines": "SELECT name,\n  v\nFROM input1",
    "largest": "SELECT MAX(id) AS most, SUM(gone) AS s FROM input2 WHERE name = 'Two'",
    "computed": "SELECT name, NULL AS e, CASE WHEN name = 'Ann' THEN 1 END AS k FROM input1",
}


def cases_of(version: float, found: Iterable[tuple[str, Document]]) -> Iterator[WorkflowCase]:
    for number, (title, parameters) in enumerate(found):
        for name, inputs in INPUTS.items():
            if name == "both" or (not number % 3 and version in {1, 2, 3.2}):
                yield several(f"v{version} {name}: {title}", merge(version, parameters), *inputs)


def first() -> Iterator[WorkflowCase]:
    yield from cases_of(1, legacy())


def second() -> Iterator[WorkflowCase]:
    for version in (2, 2.1):
        yield from cases_of(version, second_version())


def third() -> Iterator[WorkflowCase]:
    for version in (3, 3.2):
        yield from cases_of(version, third_version())
        for mode in ({"mode": "append"}, {"mode": "combine", "combineBy": "combineByPosition"}):
            three = {**mode, "numberInputs": 3}
            for name, inputs in (("three", (LEFT, RIGHT, THIRD)), ("gap", (LEFT, (), THIRD))):
                yield several(f"v{version} {name}: {mode}", merge(version, three), *inputs)
        chosen = {"mode": "chooseBranch", "numberInputs": 3, "useDataOfInput": 3}
        yield several(f"v{version} third branch", merge(version, chosen), LEFT, RIGHT, THIRD)


# -- Compare Datasets


def comparisons() -> Iterator[tuple[str, Document]]:
    by_id = by_fields(("id", "id"))
    yield "left out", {}
    yield "no rows", {"mergeByFields": {"values": []}}
    for resolve in (None, "preferInput1", "preferInput2", "mix", "includeBoth"):
        for fuzzy in (None, True):
            for options in ({}, {"multipleMatches": "all"}, {"skipFields": "n, o"}, {"skipFields": "o.q"}):
                more: Document = {} if resolve is None else {"resolve": resolve}
                more |= {} if fuzzy is None else {"fuzzyCompare": True}
                given = {**options, **({} if fuzzy is None else {"fuzzyCompare": True})}
                yield f"{resolve} {fuzzy} {options}", {**by_id, **more, "options": given}
    for prefer in ("input1", "input2"):
        mixed = {**by_id, "resolve": "mix", "preferWhenMix": prefer, "exceptWhenMix": "a, o.q, b"}
        yield f"mix {prefer}", mixed
        yield f"mix {prefer} without dots", {**mixed, "options": {"disableDotNotation": True}}
    yield "two fields", by_fields(("id", "id"), ("a", "a"))
    yield "a path", by_fields(("o.p", "o.p"))
    yield "a path without dots", {**by_fields(("o.p", "o.p")), "options": {"disableDotNotation": True}}
    yield "missing", by_fields(("missing", "id"))
    yield "other names", by_fields(("n", "id"))
    yield "half a pair", {"mergeByFields": {"values": [{"field1": "id"}]}}


def compare() -> Iterator[WorkflowCase]:
    for version in (1, 2, 2.1, 2.2, 2.3):
        for number, (title, parameters) in enumerate(comparisons()):
            node = {"type": "n8n-nodes-base.compareDatasets", "typeVersion": version, "parameters": parameters}
            yield several(f"v{version} {title}", node, SAME, OTHER)
            if not number % 6:
                yield several(f"v{version} left {title}", node, SAME, ())
                yield several(f"v{version} right {title}", node, (), OTHER)


FAMILIES = (
    Family("Merge, version 1", first),
    Family("Merge, version 2", second),
    Family("Merge, version 3", third),
    Family("Compare Datasets", compare),
)
