"""Elasticsearch: documents and indexes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpClient
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.nodes.items import accepted, error_item, new_items
from jackfield.api.nodes.running import FAILURES
from jackfield.api.records import record
from jackfield.api.workflows import Items
from jackfield_integrations.elastic.parameters import ElasticParameters
from jackfield_integrations.elastic.session import ElasticSession, segment
from jackfield_integrations.kinds import ELASTICSEARCH
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.query_values import query_of
from jackfield_integrations.secret_values import credential

_TOGETHER = 50
"""Items of one bulk request."""
Row = dict[str, Json]
_ACTIONS = {"create": "index", "delete": "delete", "update": "update"}
"""Operation -> what a bulk request calls it."""


@record
class ElasticItem:
    session: ElasticSession
    wanted: ElasticParameters
    json: Mapping[str, Json]

    @property
    def index(self) -> str:
        return self.wanted.needed("indexId", self.wanted.index_id)

    @property
    def document(self) -> str:
        return self.wanted.needed("documentId", self.wanted.document_id)

    @property
    def path(self) -> str:
        return f"/{segment(self.index)}/_doc/{segment(self.document)}"

    def options(self, *left_out: str) -> dict[str, object]:
        return _without(self.wanted.options, "bulkOperation", *left_out)

    def fields(self, *left_out: str) -> dict[str, object]:
        return _without(self.wanted.additional_fields, *left_out)

    def lines(self) -> str:
        """The lines of a bulk request for it. Raises `NodeError`."""
        operation = self.wanted.work[1]
        named = str(self.wanted.additional_fields.get("documentId") or "") if operation == "create" else self.document
        action: dict[str, object] = {"_index": self.index, **({"_id": named} if named else {})}
        rows: list[object] = [{_ACTIONS[operation]: action}]
        if operation != "delete":
            body = self.wanted.document(self.json)
            rows.append({"doc": body} if operation == "update" else body)
        return "".join(f"{dumps(row).decode()}\n" for row in rows)


def _without(given: Mapping[str, object], *left_out: str) -> dict[str, object]:
    return {name: value for name, value in given.items() if name not in left_out}


async def create_document(asked: ElasticItem) -> list[Row]:
    body, query = asked.wanted.document(asked.json), {**asked.options(), **asked.fields("documentId")}
    named = str(asked.wanted.additional_fields.get("documentId") or "")
    path = f"/{segment(asked.index)}/_doc"
    if named:
        return [await asked.session.asked("PUT", f"{path}/{segment(named)}", body, query)]
    return [await asked.session.asked("POST", path, body, query)]


async def delete_document(asked: ElasticItem) -> list[Row]:
    return [await asked.session.asked("DELETE", asked.path)]


async def get_document(asked: ElasticItem) -> list[Row]:
    options = asked.options()
    found = await asked.session.asked("GET", asked.path, query={**options, "_source": True} if options else {})
    return [_simple(found) if asked.wanted.simple else found]


async def list_documents(asked: ElasticItem) -> list[Row]:
    options = asked.wanted.options
    body: dict[str, Json] = {}
    if options.get("query"):
        found = query_of(options["query"], options.get("queryParameters"), "query")
        if not isinstance(found, dict):
            raise NodeError("The option query must be an object.")
        body = found
    query: dict[str, object] = _without(options, "query", "queryParameters")
    if options:
        query["_source"] = True
    most = None if asked.wanted.return_all else asked.wanted.limit
    rows = [row async for row in asked.session.hits(asked.index, body, query, most)]
    return [_simple(row) for row in rows] if asked.wanted.simple else rows


async def update_document(asked: ElasticItem) -> list[Row]:
    body = {"doc": asked.wanted.document(asked.json)}
    path = f"/{segment(asked.index)}/_update/{segment(asked.document)}"
    return [await asked.session.asked("POST", path, body, asked.options())]


async def create_index(asked: ElasticItem) -> list[Row]:
    parts = {
        name: _object(value, name)
        for name in ("aliases", "mappings", "settings")
        if (value := asked.wanted.additional_fields.get(name)) not in (None, "", {}, "{}")
    }
    query = asked.fields("aliases", "mappings", "settings")
    found = await asked.session.asked("PUT", f"/{segment(asked.index)}", parts or None, query)
    return [{"id": asked.index, **{name: value for name, value in found.items() if name != "index"}}]


def _object(value: object, name: str) -> Json:
    """Raises `NodeError`."""
    try:
        found = loads(value) if isinstance(value, str) else value
    except InvalidInput:
        found = None
    if not isinstance(found, dict):
        raise NodeError(f"The field {name} must be an object, or its JSON.")
    return found


async def delete_index(asked: ElasticItem) -> list[Row]:
    await asked.session.asked("DELETE", f"/{segment(asked.index)}")
    return [{"success": True}]


async def get_index(asked: ElasticItem) -> list[Row]:
    found = await asked.session.asked("GET", f"/{segment(asked.index)}", query=asked.fields())
    described = found.get(asked.index)
    return [{"id": asked.index, **(described if isinstance(described, dict) else {})}]


async def list_indexes(asked: ElasticItem) -> list[Row]:
    names = list(await asked.session.asked("GET", "/_aliases"))
    most = None if asked.wanted.return_all else asked.wanted.limit
    return [{"indexId": name} for name in names[:most]]


def _simple(row: Mapping[str, Json]) -> Row:
    source = row.get("_source")
    return {"_id": row.get("_id"), **(source if isinstance(source, dict) else {})}


OPERATIONS: Mapping[tuple[str, str], Callable[[ElasticItem], Awaitable[list[Row]]]] = {
    ("document", "create"): create_document,
    ("document", "delete"): delete_document,
    ("document", "get"): get_document,
    ("document", "getAll"): list_documents,
    ("document", "update"): update_document,
    ("index", "create"): create_index,
    ("index", "delete"): delete_index,
    ("index", "get"): get_index,
    ("index", "getAll"): list_indexes,
}


class ElasticNode(IntegrationNode):
    """Items with the option bulkOperation go fifty at a time. Requests go through the HTTP client, so `nodes.http` says
    where they may go."""

    kind = "elasticsearch"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Elasticsearch",
        "Reads and changes documents and indexes of Elasticsearch.",
        "network",
        credentials=(NodeCredential(ELASTICSEARCH.name),),
    )
    model = ElasticParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[ElasticParameters] = await run.resolve()
        made: dict[int, Items] = {}
        waiting: dict[int, str] = {}
        sessions: list[ElasticSession] = []
        for index, wanted in enumerate(resolved):
            try:
                if not sessions:
                    sessions.append(await self._session(run))
                asked = ElasticItem(sessions[0], wanted, run.items[index]["json"])
                if wanted.bulk:
                    waiting[index] = asked.lines()
                else:
                    made[index] = new_items(await self._one(asked), index)
            except FAILURES as exc:
                made[index] = [error_item(accepted(run, exc, index), index)]
            if len(waiting) >= _TOGETHER:
                made |= await _sent(run, sessions[0], waiting)
                waiting = {}
        if waiting:
            made |= await _sent(run, sessions[0], waiting)
        return [[item for index in sorted(made) for item in made[index]]]

    async def _session(self, run: NodeRun) -> ElasticSession:
        values = await credential(run, ELASTICSEARCH)
        authorization = await run.authorization(ELASTICSEARCH.name)
        return ElasticSession(self._context.port(HttpClient), authorization, values, self.settings.max_rows)

    async def _one(self, asked: ElasticItem) -> list[Row]:
        work = OPERATIONS.get(asked.wanted.work)
        if work is None:
            raise NodeError(f"An {asked.wanted.resource} has no operation {asked.wanted.operation}.")
        return await work(asked)


async def _sent(run: NodeRun, session: ElasticSession, waiting: Mapping[int, str]) -> dict[int, Items]:
    """The outcome of the items of one bulk request. Raises `NodeError` unless the node goes on after errors."""
    made: dict[int, Items] = {}
    try:
        rows = await session.bulk("".join(waiting.values()))
        if len(rows) != len(waiting):
            raise NodeError("Elasticsearch does not tell what became of every item.")
    except FAILURES as exc:
        return {index: [error_item(accepted(run, exc, index), index)] for index in waiting}
    for index, row in zip(waiting, rows, strict=True):
        error = row.get("error")
        if isinstance(error, dict):
            told = f"Elasticsearch: {error.get('type')}: {error.get('reason')}"
            item = error_item(accepted(run, NodeError(told[:500]), index), index)
            item["json"]["message"] = error
            made[index] = [item]
        else:
            made[index] = new_items([row], index)
    return made


def node(context: PluginContext) -> ElasticNode:
    return ElasticNode(context)
