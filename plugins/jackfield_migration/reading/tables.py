"""Rows of n8n's tables, from its database or from `n8n export:entities`, as the documents that its exports hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield_migration.bundle import Bundle, BundleDocument, Kind
from jackfield_migration.places import places
from jackfield_migration.reading.cipher import DataKey
from jackfield_migration.reading.data_tables import COLUMNS, TABLES, table_documents

Row = Mapping[str, Json]
Table = Callable[[str], Iterable[Row]]
"""Name of a table without its prefix -> its rows; none when there is no such table. The reader of a table reports
damage, which ends its rows."""
WORKFLOWS, CREDENTIALS, HISTORY = "workflow_entity", "credentials_entity", "workflow_history"
KNOWN_TABLES = (
    WORKFLOWS, HISTORY, CREDENTIALS, "variables", "tag_entity", "workflows_tags", "folder", "project", TABLES, COLUMNS,
    "deployment_key", "user", "execution_entity", "shared_workflow",
)  # fmt: skip
_JSON = frozenset({"nodes", "connections", "settings", "staticData", "pinData", "meta", "nodeGroups"})
_BOOLEANS = frozenset({"active", "isArchived"})
_KEPT_KINDS: Mapping[str, Kind] = {"variables": "variable", "tag_entity": "tag"}
_DRAFT = "In n8n its draft differs from what was published; the published version was imported."


def read_tables(table: Table, origin: str, bundle: Bundle, counted: Callable[[str], int]) -> None:
    """Add everything to the bundle. counted: name of a table -> how many rows it has."""
    tags = _tags_by_workflow(table)
    bundle.places = places(table("folder"), table("project"), table("shared_workflow"))
    published = {str(row.get("versionId")): row for row in _history(table)}
    for row in table(WORKFLOWS):
        _add_workflow(row, origin, bundle, tags, published)
    bundle.add_all("credential", (dict(row) for row in table(CREDENTIALS)), origin)
    for name, kind in _KEPT_KINDS.items():
        bundle.add_all(kind, (dict(row) for row in table(name)), origin)
    bundle.leave("user", counted("user"))
    if counted(COLUMNS):
        bundle.add_all("dataTable", table_documents(table), origin)
    else:
        bundle.leave("dataTable", counted(TABLES))
    bundle.leave("project", sum(row.get("type") != "personal" for row in table("project")))
    bundle.leave("execution", counted("execution_entity"))


def data_keys(table: Table) -> Sequence[DataKey]:
    """The keys that newer versions seal credentials with."""
    return [
        DataKey(str(row["id"]), str(row["value"]), str(row.get("algorithm") or "aes-256-cbc"))
        for row in table("deployment_key")
        if row.get("type") == "data_encryption" and isinstance(row.get("value"), str) and row.get("id")
    ]


def _add_workflow(
    row: Row, origin: str, bundle: Bundle, tags: Mapping[str, list[Json]], published: Mapping[str, Row]
) -> None:
    where = f"{origin}, workflow {row.get('name') or row.get('id')}"
    try:
        document = _document(row)
        live = published.get(str(row.get("activeVersionId")))
        remark = ""
        if live is not None and row.get("activeVersionId") != row.get("versionId"):
            parts = _document({key: live.get(key) for key in ("nodes", "connections")})
            remark = "" if _same(parts, document) else _DRAFT
            document |= parts
    except InvalidInput as exc:
        bundle.fail(where, exc.message)
        return
    if found := tags.get(str(row.get("id"))):
        document["tags"] = found
    bundle.take("workflow", BundleDocument(origin, document, remark))


def _document(row: Row) -> dict[str, Json]:
    """Raises `InvalidInput`."""
    found: dict[str, Json] = {}
    for key, value in row.items():
        if key in _JSON and isinstance(value, str):
            try:
                found[key] = jsontext.loads(value)
            except InvalidInput:
                raise InvalidInput(f"Its column {key} holds no JSON; the database is damaged there.") from None
        elif key in _BOOLEANS:
            found[key] = bool(value)
        else:
            found[key] = value
    return {key: value for key, value in found.items() if value is not None}


def _same(parts: Mapping[str, Json], document: Mapping[str, Json]) -> bool:
    return all(dumps(parts.get(key)) == dumps(document.get(key)) for key in ("nodes", "connections"))


def _history(table: Table) -> Iterable[Row]:
    """Of versions, those that are live: there may be very many others."""
    live = {row["activeVersionId"] for row in table(WORKFLOWS) if row.get("activeVersionId")}
    return (row for row in table(HISTORY) if row.get("versionId") in live) if live else ()


def _tags_by_workflow(table: Table) -> Mapping[str, list[Json]]:
    names = {str(row.get("id")): row.get("name") for row in table("tag_entity")}
    found: dict[str, list[Json]] = {}
    for row in table("workflows_tags"):
        ident = str(row.get("tagId"))
        if names.get(ident):
            found.setdefault(str(row.get("workflowId")), []).append({"id": ident, "name": names[ident]})
    return found
