"""Workflows in n8n's form: n8n's names of node types, and n8n's ids as far as they came from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog, community_package
from jackfield.api.records import record
from jackfield.api.saved_documents import SavedDocuments
from jackfield.api.workflows import Document, local_type
from jackfield_migration.identities import CREDENTIAL, WORKFLOW, IdMap
from jackfield_migration.places import folder_tag
from jackfield_migration.rewriting import rewritten

BASE, LANGCHAIN = "n8n-nodes-base.", "@n8n/n8n-nodes-langchain."
OWN = "jackfield."
_PART = "langchain."
ONLY_HERE = frozenset({"agent", "terminalSession"})
"""Kinds that n8n has no node for."""
MASK = "***"
LONGEST_TAG = 24
"""Characters in n8n."""
_SERVICE = frozenset({"version", "createdAt", "updatedAt", "state", "attention"})


@record
class Exported:
    """warnings: what n8n does not find in it, one sentence each."""

    document: Document
    warnings: Sequence[str]


class Exporter:
    """Writes workflows for one n8n installation."""

    def __init__(self, context: PluginContext, source: str) -> None:
        self._context = context
        self._workflows = IdMap(context, source, WORKFLOW)
        self._credentials = IdMap(context, source, CREDENTIAL)

    async def load(self) -> None:
        await self._workflows.load()
        await self._credentials.load()

    async def export(self, workflow_id: str) -> Exported:
        """Raises `NotFound`."""
        shown = await self._context.port(SavedDocuments).shown(workflow_id)
        workflows, credentials = self._workflows.owners(), self._credentials.owners()
        made = rewritten(
            shown,
            lambda own: workflows.get(own, own),
            lambda kind, own, name: credentials.get(str(own), str(own)) if own else None,
            lambda text: text in workflows,
        ).document
        nodes = made.get("nodes")
        catalog = self._context.port(NodeCatalog)
        made["nodes"] = [_node(node, catalog) for node in (nodes if isinstance(nodes, list) else [])]
        made["id"] = workflows.get(workflow_id, workflow_id)
        document = {key: value for key, value in made.items() if key not in _SERVICE}
        if path := await self._context.port(SavedDocuments).folder_path(workflow_id):
            tags = document.get("tags")
            document["tags"] = [*(tags if isinstance(tags, list) else []), folder_tag(path)]
        return Exported(document, list(_warnings(document)))


def n8n_type(written: str) -> str:
    """The type's name in n8n; as it is written when n8n has no such node, or it comes from another package."""
    kind = local_type(written)
    if kind == written:
        return written
    if community_package(kind):
        return kind
    if kind.startswith(_PART):
        return LANGCHAIN + kind.removeprefix(_PART)
    return written if kind in ONLY_HERE and written.startswith(OWN) else BASE + kind


def _node(node: Json, catalog: NodeCatalog) -> Json:
    if not isinstance(node, dict) or not isinstance(written := node.get("type"), str):
        return node
    found = {**node, "type": n8n_type(written)}
    if node.get("typeVersion") is None:  # for n8n that is version 1, and here the newest
        known = catalog.find(local_type(written))
        found["typeVersion"] = max(known.versions, default=1) if known is not None else 1
    return found


def _warnings(document: Document) -> Iterator[str]:
    tags = document.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        name = tag.get("name") if isinstance(tag, dict) else tag
        if isinstance(name, str) and len(name) > LONGEST_TAG:
            yield f"n8n's tags have at most {LONGEST_TAG} characters; on PostgreSQL it refuses {name}."
    nodes = document.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if not isinstance(node, dict):
            continue
        if str(node.get("type")).startswith(OWN):
            yield f"n8n has no node for {node.get('name')} ({node.get('type')})."
        for path in _masked(node.get("parameters"), "parameters"):
            yield f"The secret of {node.get('name')} at {path} is left out; enter it in n8n."


def _masked(value: Json, path: str) -> Iterator[str]:
    if value == MASK:
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _masked(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _masked(inner, f"{path}[{index}]")
