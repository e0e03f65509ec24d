"""Documents of n8n, sorted: what a file, a database or a request brings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace, state
from jackfield_migration.places import Places, places

Kind = Literal["workflow", "credential", "variable", "tag", "folder", "project", "dataTable"]
COLLECTIONS: Mapping[str, Kind] = {
    "workflows": "workflow",
    "credentials": "credential",
    "variables": "variable",
    "tags": "tag",
    "folders": "folder",
    "projects": "project",
    "dataTables": "dataTable",
}
"""Key of an object with several of each -> their kind."""
NOT_HERE: Mapping[str, str] = {
    "project": "Their workflows lie in a folder of this name; what they had is there for everybody.",
    "dataTable": "This export has no rows of data tables; import n8n's database, or the tables as CSV.",
    "user": "Users are not imported; make them with `jackfield user add`.",
    "execution": "Executions stay in n8n; keep its database as long as you need its history.",
}
"""Kind -> what to tell about what is left behind."""

LONGEST_ID = 255
"""Characters; n8n's own have up to 36."""
SHOWN = 60
"""Characters of a name in a message and in a table."""


@record
class BundleDocument:
    """One document. origin: where it was found, such as a file's name; remark: what there is to tell of it."""

    origin: str
    document: Mapping[str, Json]
    remark: str = ""


@record
class Unreadable:
    """The parts that could not be read, and why."""

    origin: str
    reason: str


@state
class Bundle:
    """Everything of one import. left: kind of what does not exist here -> how many there are; places: of what is read
    now."""

    workflows: list[BundleDocument] = field(default_factory=list)
    credentials: list[BundleDocument] = field(default_factory=list)
    variables: list[BundleDocument] = field(default_factory=list)
    tags: list[BundleDocument] = field(default_factory=list)
    data_tables: list[BundleDocument] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    places: Places = field(default_factory=Places)

    def add(self, value: Json, origin: str) -> None:
        """A document, a list of them, or an object that has lists of them under names such as `workflows`."""
        if isinstance(value, list):
            for index, each in enumerate(value):
                self.add(each, f"{origin}[{index}]" if len(value) > 1 else origin)
        elif isinstance(value, dict) and _is_collection(value):
            self.places = places(_objects(value.get("folders")), _objects(value.get("projects")))
            for key, kind in COLLECTIONS.items():
                self.add_all(kind, _rows(value.get(key)), f"{origin}.{key}")
        else:
            self._add_one(value, origin)

    def add_all(self, kind: Kind, rows: Iterable[Json], origin: str) -> None:
        """Documents whose kind is known."""
        for row in rows:
            if not isinstance(row, dict):
                self.fail(origin, f"A {kind} must be an object.")
            elif kind == "folder":
                continue  # its workflows say that they lie in it
            elif kind in NOT_HERE and not (kind == "dataTable" and "columns" in row):
                self.leave(kind, 1)
            else:
                self.take(kind, BundleDocument(origin, row))

    def take(self, kind: Kind, source: BundleDocument) -> None:
        """One document, unless nobody could keep it under its id or its name."""
        if reason := _unkeepable(source.document):
            self.fail(f"{source.origin}, {kind} {_shown(source.document)}", reason)
        else:
            if kind == "workflow":
                source = replace(source, document=self.places.placed(source.document))
            self._list(kind).append(source)

    def label(self, origins: Mapping[str, Json], remarks: Json) -> None:
        """Say where documents come from that somebody else has read."""
        self.workflows = _labelled(self.workflows, origins.get("workflows"), remarks)
        self.credentials = _labelled(self.credentials, origins.get("credentials"), None)
        self.variables = _labelled(self.variables, origins.get("variables"), None)
        self.data_tables = _labelled(self.data_tables, origins.get("dataTables"), None)

    def leave(self, kind: str, count: int) -> None:
        if count:
            self.left[kind] = self.left.get(kind, 0) + count

    def fail(self, origin: str, reason: str) -> None:
        self.unreadable.append(Unreadable(origin, reason))

    def size(self) -> int:
        """Documents."""
        return (
            len(self.workflows) + len(self.credentials) + len(self.variables) + len(self.tags) + len(self.data_tables)
        )

    def _list(self, kind: str) -> list[BundleDocument]:
        return {
            "workflow": self.workflows,
            "credential": self.credentials,
            "variable": self.variables,
            "tag": self.tags,
            "dataTable": self.data_tables,
        }[kind]

    def _add_one(self, value: Json, origin: str) -> None:
        kind = kind_of(value)
        if kind is None:
            self.fail(origin, "This is no workflow, credential or variable as n8n exports them.")
        else:
            self.add_all(kind, [value], origin)


def kind_of(value: Json) -> Kind | None:
    """Of a document that stands alone; None when it is nothing that n8n exports."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("nodes"), list):
        return "workflow"
    if isinstance(value.get("type"), str) and isinstance(value.get("data"), str | dict):
        return "credential"
    if isinstance(value.get("key"), str) and "value" in value:
        return "variable"
    return None


def _unkeepable(document: Mapping[str, Json]) -> str:
    """Why; empty: nothing is wrong with what tells it from others."""
    for key in ("id", "name", "type"):
        text = document.get(key)
        if isinstance(text, str) and "\0" in text:
            return f"Its {key} has a NUL character; take it out, then import it again."
        if isinstance(text, str) and len(text) > LONGEST_ID and key != "name":
            return f"Its {key} has {len(text):,} characters, and may have {LONGEST_ID}; give it a shorter one."
    return ""


def _shown(document: Mapping[str, Json]) -> str:
    """A name for a message."""
    found = next((text for key in ("name", "key", "id") if isinstance(text := document.get(key), str) and text), "")
    return shortened(found.replace("\0", "\N{SYMBOL FOR NULL}"))


def shortened(name: str) -> str:
    """For a message, or a cell of a table."""
    return name if len(name) <= SHOWN else f"{name[:SHOWN]}..."


def _is_collection(value: Mapping[str, Json]) -> bool:
    return "nodes" not in value and any(isinstance(value.get(key), list) for key in COLLECTIONS)


def _rows(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else ()


def _objects(value: Json) -> list[dict[str, Json]]:
    return [each for each in _rows(value) if isinstance(each, dict)]


def _labelled(sources: Sequence[BundleDocument], origins: Json, remarks: Json) -> list[BundleDocument]:
    """As far as there are labels."""
    names, told = _texts(origins), _texts(remarks)
    return [
        replace(
            each,
            origin=names[index] if index < len(names) else each.origin,
            remark=told[index] if index < len(told) else "",
        )
        for index, each in enumerate(sources)
    ]


def _texts(value: Json) -> Sequence[str]:
    return [str(each) for each in _rows(value)]
