"""Nodes that work on lists of items: Split Out, Aggregate, Summarize, Sort, Limit, Remove Duplicates, Item Lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..cases import Document, Family, NodeCase
from .fields import FILE, GOES_ON, MODES

OTHER_FILE: Document = {"data": "SGk=", "mimeType": "text/plain", "fileName": "b.txt", "fileExtension": "txt"}
ITEMS: Sequence[Document] = (
    {"json": {"id": 1, "tags": ["a", "b"], "o": {"l": [1, None, 3]}, "n": 5, "t": "x"}, "binary": {"file": FILE}},
    {"json": {"id": "2", "tags": [], "o": {"l": "one"}, "n": "7", "t": ""}, "binary": {"file": OTHER_FILE}},
    {"json": {"id": 3, "tags": None, "n": None, "t": "X", "o.l": ["dotted"]}},
    {
        "json": {
            "id": 1,
            "tags": [{"k": 1}, {"k": 2, "id": 9}, [1, 2]],
            "o": {"l": {"p": 1, "q": 2}},
            "n": 2.5,
            "t": "x",
        }
    },
    {"json": {"tags": "text", "n": True, "t": None}},
)
LEAN: Sequence[Document] = tuple({"json": item["json"]} for item in ITEMS)
ALONE: Sequence[Document] = ({"json": {"alone": True}},)
"""n8n does not start a workflow without a required parameter, so that such a case has one of its own."""
ONE: Sequence[Document] = ({"json": {"list": [1, 2], "n": 1}},)


def node(kind: str, parameters: Document, version: float = 1, **more: object) -> Document:
    return {
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": version,
        "onError": GOES_ON,
        "parameters": parameters,
        **more,
    }


def in_modes(kind: str, parameters: Document, items: Sequence[Document], version: float = 1) -> Iterator[NodeCase]:
    """The same node with each way to go on after errors."""
    for title, settings in MODES.items():
        made = node(kind, parameters, version, **{key: value for key, value in settings.items() if value is not None})
        if settings.get("onError", "") is None:
            del made["onError"]
        yield NodeCase(f"v{version} {title} {parameters}", made, items)


# -- Split Out

SPLIT_FIELDS = ("tags", "o.l", "o", "n", "missing", "tags,o.l", "$binary", "tags, $binary", "$json.tags", " tags ")


def split_out() -> Iterator[NodeCase]:
    for field in SPLIT_FIELDS:
        for include in (None, "noOtherFields", "allOtherFields", "selectedOtherFields"):
            for options in (
                {},
                {"disableDotNotation": True},
                {"destinationFieldName": "made"},
                {"destinationFieldName": "m.n, second"},
                {"includeBinary": True},
            ):
                parameters: Document = {"fieldToSplitOut": field, "options": options}
                if include:
                    parameters |= {"include": include, "fieldsToInclude": "id, o.l, missing"}
                yield NodeCase(f"{field!r} {include} {options}", node("splitOut", parameters), ITEMS)
    yield NodeCase("nothing", node("splitOut", {}), ITEMS)
    selected = {"fieldToSplitOut": "tags", "include": "selectedOtherFields"}
    yield NodeCase("selected none", node("splitOut", selected), ITEMS)
    yield NodeCase("computed value", node("splitOut", {"fieldToSplitOut": "={{ $json.tags }}"}), ITEMS[:1])
    yield NodeCase(
        "computed name", node("splitOut", {"fieldToSplitOut": "={{ $json.id === 1 ? 'tags' : 'o' }}"}), ITEMS
    )
    yield from in_modes("splitOut", {"fieldToSplitOut": "tags"}, ITEMS)
    yield from in_modes("splitOut", {"fieldToSplitOut": "tags", "options": {"destinationFieldName": "a,b"}}, ITEMS)
    yield NodeCase("no field", node("splitOut", {"fieldToSplitOut": ""}), ALONE)


# -- Aggregate


def rows(*fields: Document) -> Document:
    return {"fieldsToAggregate": {"fieldToAggregate": list(fields)}}


FIELD_ROWS: dict[str, Document] = {
    "one": rows({"fieldToAggregate": "id"}),
    "path": rows({"fieldToAggregate": "o.l"}),
    "renamed": rows({"fieldToAggregate": "tags", "renameField": True, "outputFieldName": "made.list"}),
    "renamed to nothing": rows({"fieldToAggregate": "tags", "renameField": True, "outputFieldName": ""}),
    "renamed without a name": rows({"fieldToAggregate": "tags", "renameField": True}),
    "name without renaming": rows({"fieldToAggregate": "tags", "outputFieldName": "made"}),
    "two": rows({"fieldToAggregate": "id"}, {"fieldToAggregate": "n"}),
    "the same twice": rows({"fieldToAggregate": "id"}, {"fieldToAggregate": "id"}),
    "the same name twice": rows({"fieldToAggregate": "o.l"}, {"fieldToAggregate": "l"}),
    "missing": rows({"fieldToAggregate": "missing"}),
    "no name": rows({"fieldToAggregate": ""}),
    "empty row": rows({}),
    "no rows": rows(),
    "left out": {},
}
AGGREGATE_OPTIONS: Sequence[Document] = (
    {},
    {"disableDotNotation": True},
    {"mergeLists": True},
    {"keepMissing": True},
    {"mergeLists": True, "keepMissing": True},
    {"includeBinaries": True},
    {"includeBinaries": True, "keepOnlyUnique": True},
)


def aggregates() -> Iterator[tuple[str, Document]]:
    for title, parameters in FIELD_ROWS.items():
        for options in AGGREGATE_OPTIONS:
            yield f"{title} {options}", {**parameters, "options": options}
    for include in (None, "allFields", "specifiedFields", "allFieldsExcept"):
        for name in (None, "made.list", ""):
            for fields in ("id, o.l,tags", "", "missing"):
                more: Document = {} if include is None else {"include": include}
                more |= {} if name is None else {"destinationFieldName": name}
                fields_of = {"fieldsToInclude": fields, "fieldsToExclude": fields}
                whole = {"aggregate": "aggregateAllItemData", **more, **fields_of}
                yield f"all {include} {name!r} {fields!r}", whole
    for options in ({"includeBinaries": True}, {"includeBinaries": True, "keepOnlyUnique": True}):
        yield f"all {options}", {"aggregate": "aggregateAllItemData", "options": options}


def aggregate() -> Iterator[NodeCase]:
    for title, parameters in aggregates():
        yield NodeCase(title, node("aggregate", parameters), ITEMS)
    same = ({"json": {}, "binary": {"file": FILE}}, {"json": {}, "binary": {"file": FILE, "other": OTHER_FILE}})
    for options in AGGREGATE_OPTIONS[-2:]:
        whole = {"aggregate": "aggregateAllItemData", "options": options}
        yield NodeCase(f"the same file {options}", node("aggregate", whole), same)
    yield from in_modes("aggregate", FIELD_ROWS["one"], ITEMS)
    yield from in_modes("aggregate", FIELD_ROWS["no rows"], ITEMS)


# -- Summarize

KINDS = ("append", "average", "concatenate", "count", "countUnique", "max", "min", "sum")
SUMMARY_ITEMS: Sequence[Document] = (
    {"json": {"g": "a", "h": 1, "n": 5, "t": "x", "o": {"v": 1}, "l": [1, 2]}},
    {"json": {"g": "a", "h": "1", "n": "7", "t": "", "o": {"v": 2}, "l": [1, 2]}},
    {"json": {"g": "b", "h": None, "n": None, "t": "y", "l": {"a": 1}}},
    {"json": {"g": "", "h": 1, "n": -2.5, "t": "x", "o.v": 8}},
    {"json": {"h": True, "n": False, "t": 0, "o": {"v": None}}},
    {"json": {"g": None, "h": {"a": 1}, "n": 5, "t": None}},
)


def values(*rows: Document) -> Document:
    return {"fieldsToSummarize": {"values": list(rows)}}


def summaries() -> Iterator[tuple[str, Document]]:
    for kind in KINDS:
        for field in ("n", "t", "o.v", "l", "missing"):
            for empty in (None, True):
                row: Document = {"aggregation": kind, "field": field}
                row |= {} if empty is None else {"includeEmpty": empty}
                for split in ("", "g"):
                    yield f"{kind} {field} {empty} {split!r}", {**values(row), "fieldsToSplitBy": split}
    for separator in (", ", "\n", "", " ", "other"):
        for custom in (None, "-"):
            row = {"aggregation": "concatenate", "field": "t", "separateBy": separator}
            row |= {} if custom is None else {"customSeparator": custom}
            yield f"separated {separator!r} {custom}", values(row)
    several = values({"aggregation": "sum", "field": "n"}, {"aggregation": "count", "field": "n"}, {"field": "t"})
    for split in ("g", "h", "g,h", "h, g", "o.v", "missing", "l", "g,missing"):
        for output in (None, "separateItems", "singleItem"):
            for skip in (None, True):
                options: Document = {} if output is None else {"outputFormat": output}
                options |= {} if skip is None else {"skipEmptySplitFields": skip}
                yield f"by {split} {options}", {**several, "fieldsToSplitBy": split, "options": options}
    for field in ("o.v", "missing"):
        for options in ({"disableDotNotation": True}, {"continueIfFieldNotFound": True}):
            row = {"aggregation": "sum", "field": field}
            yield f"{field} {options}", {**values(row), "options": options}
            yield f"{field} {options} by g", {**values(row), "options": options, "fieldsToSplitBy": "g"}
    yield "names", values({"aggregation": "count", "field": "o['v']"}, {"aggregation": "max", "field": "a b.c[0]"})
    yield "one of two missing", values({"aggregation": "sum", "field": "n"}, {"aggregation": "max", "field": "missing"})
    yield "an empty row", values({"aggregation": "sum", "field": "n"}, {"aggregation": "max", "field": ""})
    yield "no field", values({"aggregation": "sum"})
    yield "empty", values({})
    yield "no rows", values()
    yield "left out", {}
    yield "two of a kind", values({"aggregation": "sum", "field": "n"}, {"aggregation": "sum", "field": "n"})


def summarize() -> Iterator[NodeCase]:
    for version in (1, 1.1):
        for title, parameters in summaries():
            yield NodeCase(f"v{version} {title}", node("summarize", parameters, version), SUMMARY_ITEMS)
        missing = values({"aggregation": "sum", "field": "missing"})
        yield from in_modes("summarize", missing, SUMMARY_ITEMS, version)


# -- Sort


def sorts() -> Iterator[tuple[str, Document]]:
    for field in ("n", "t", "id", "o.l", "missing", "tags"):
        for order in (None, "ascending", "descending"):
            row: Document = {"fieldName": field}
            row |= {} if order is None else {"order": order}
            for options in ({}, {"disableDotNotation": True}):
                yield f"{field} {order} {options}", {"sortFieldsUi": {"sortField": [row]}, "options": options}
    two = [{"fieldName": "id"}, {"fieldName": "t", "order": "descending"}]
    yield "two", {"sortFieldsUi": {"sortField": two}}
    yield "no rows", {"sortFieldsUi": {"sortField": []}}
    yield "left out", {}


CODES = {
    "code": "return String(b.json.t) < String(a.json.t) ? -1 : 1",
    "code without return": "1 + 1",
    "code with an error": "return a.json.gone.x",
    "code of several lines": "const f = 'id';\nif (a.json[f] < b.json[f]) { return -1; }\nreturn 1;",
}
SORTED: dict[str, Sequence[object]] = {
    "numbers": [10, 9, -1, 2.5, 0],
    "texts": ["b", "A", "a", "B", "ä", "z", ""],
    "mixed": ["10", 9, "b", None, True, "2"],
    "numeric texts": ["10", "9", "2", "1"],
    "nothing": [None, None],
    "flags": [True, False, True],
    "lists": [[2], [1], [10]],
    "objects": [{"a": 2}, {"a": 1}],
    "dates": ["2026-05-10", "2025-01-01", "2026-01-01"],
    "equal": ["a", "a", "a"],
    "nothing among": [3, None, 1, "", 2],
}


def sort() -> Iterator[NodeCase]:
    for title, parameters in sorts():
        yield NodeCase(title, node("sort", parameters), LEAN)
    for title, code in CODES.items():
        yield NodeCase(title, node("sort", {"type": "code", "code": code}), LEAN)
    yield NodeCase("no field", node("sort", {"sortFieldsUi": {"sortField": [{}]}}), ALONE)
    for title, given in SORTED.items():
        items = [{"json": {"v": value, "i": index}} for index, value in enumerate(given)]
        for order in ("ascending", "descending"):
            fields = {"sortFieldsUi": {"sortField": [{"fieldName": "v", "order": order}]}}
            yield NodeCase(f"{title} {order}", node("sort", fields), items)
    yield from in_modes("sort", {"sortFieldsUi": {"sortField": [{"fieldName": "missing"}]}}, ITEMS)


# -- Limit


def limit() -> Iterator[NodeCase]:
    for most in (None, 0, 1, 2, 10, -1, "2", "={{ 2 }}", "={{ '3' }}", 1.5):
        for keep in (None, "firstItems", "lastItems"):
            parameters: Document = {} if most is None else {"maxItems": most}
            parameters |= {} if keep is None else {"keep": keep}
            yield NodeCase(f"{parameters}", node("limit", parameters), ITEMS)


# -- Remove Duplicates

REPEATED: Sequence[Document] = (
    {"json": {"id": 1, "n": "a", "o": {"x": 1, "y": [1]}}, "binary": {"file": FILE}},
    {"json": {"id": 1, "n": "a", "o": {"y": [1], "x": 1}}},
    {"json": {"id": "1", "n": "a", "o": {"x": 1}}},
    {"json": {"id": 1, "n": "b", "o": {"x": 2}}},
    {"json": {"n": "a", "id": 1, "o": {"x": 1, "y": [1]}}},
    {"json": {"id": True, "n": "a", "o": None}},
)
UNEVEN: Sequence[Document] = ({"json": {"id": 1}}, {"json": {"n": 1}}, {"json": {"id": 1, "n": None}}, {"json": {}})


def comparisons() -> Iterator[tuple[str, Document]]:
    yield "nothing", {}
    for compare in ("allFields", "allFieldsExcept", "selectedFields"):
        for fields in ("id", "id, n", "o.x", "o", "missing", ""):
            for options in ({}, {"disableDotNotation": True}, {"removeOtherFields": True}):
                more = {"fieldsToCompare": fields, "fieldsToExclude": fields, "options": options}
                yield f"{compare} {fields!r} {options}", {"compare": compare, **more}


def remove_duplicates() -> Iterator[NodeCase]:
    for version in (1, 1.1, 2):
        for title, parameters in comparisons():
            yield NodeCase(f"v{version} {title}", node("removeDuplicates", parameters, version), REPEATED)
            yield NodeCase(f"v{version} uneven {title}", node("removeDuplicates", parameters, version), UNEVEN)
        wrong = {"compare": "selectedFields", "fieldsToCompare": ""}
        yield from in_modes("removeDuplicates", wrong, REPEATED, version)


# -- Item Lists

NAME_LISTS = ("fieldsToInclude", "fieldsToExclude", "fieldsToCompare")


def of_version(parameters: Document, version: float) -> Document:
    """Up to version 2 lists of names are rows."""
    if version >= 3:
        return parameters
    made = dict(parameters)
    for key in NAME_LISTS:
        if key in made:
            made[key] = {"fields": [{"fieldName": name.strip()} for name in made[key].split(",") if name.strip()]}
    return made


def splits() -> Iterator[tuple[str, Document]]:
    for field in ("tags", "list", "o.l", "missing", "n"):
        for include in (None, "allOtherFields", "selectedOtherFields"):
            for options in ({}, {"disableDotNotation": True}, {"destinationFieldName": "made"}):
                more: Document = {} if include is None else {"include": include, "fieldsToInclude": "id, n"}
                yield f"{field} {include} {options}", {"fieldToSplitOut": field, "options": options, **more}


def item_lists() -> Iterator[NodeCase]:
    for version in (1, 2, 2.1, 2.2, 3, 3.1):
        aggregating = "concatenateItems" if version >= 3 else "aggregateItems"
        forms = {
            "splitOutItems": (splits(), LEAN),
            aggregating: (aggregates(), LEAN),
            "removeDuplicates": (comparisons(), REPEATED),
            "sort": (sorts(), LEAN),
            "summarize": (summaries(), SUMMARY_ITEMS),
        }
        for operation, (found, items) in forms.items():
            for number, (title, parameters) in enumerate(found):
                if (number % 3 and version in {2, 2.1, 3}) or (version == 1 and title.startswith("o.l allOther")):
                    continue
                given = {"operation": operation, **of_version(parameters, version)}
                yield NodeCase(f"v{version} {operation} {title}", node("itemLists", given, version), items)
        yield NodeCase(f"v{version} split all", node("itemLists", {"fieldToSplitOut": "list"}, version), ONE)
        yield NodeCase(f"v{version} limit", node("itemLists", {"operation": "limit", "maxItems": 2}, version), LEAN)
        yield NodeCase(f"v{version} limit left out", node("itemLists", {"operation": "limit"}, version), LEAN)
        yield from in_modes("itemLists", {"fieldToSplitOut": "missing"}, LEAN, version)


def item_list_cases() -> Iterable[NodeCase]:
    return item_lists()


FAMILIES = (
    Family("Split Out", split_out),
    Family("Aggregate", aggregate),
    Family("Summarize", summarize),
    Family("Sort", sort),
    Family("Limit", limit),
    Family("Remove Duplicates", remove_duplicates),
    Family("Item Lists", item_list_cases),
)
