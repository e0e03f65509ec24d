"""The secrets in documents: what node types mark as such (`NodeParameters.secret_paths`).

Nobody gets them back: answers and exports have `***` in their place. A value that is written as `***` keeps the stored
value of the same node. Where nothing is stored, it counts as empty, so that a node that needs a secret says that it has
none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator

from jackfield.api import caller_secrets
from jackfield.api.containment import is_ctrl_c
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ANY, NodeCatalog
from jackfield.api.nodes.changing import renewals
from jackfield.api.nodes.secret_values import (
    ABSENT,
    MASK,
    SecretPath,
    changed_at,
    found_at,
    masked,
    paths_by_name,
    paths_of,
)
from jackfield.api.records import replace
from jackfield.api.workflows import Document, Node, Workflow, local_type
from jackfield_workflows.documents.credential_exports import VALUES, is_credential
from jackfield_workflows.documents.values import number

MASKS = frozenset({MASK, f"={MASK}"})
"""The second one is what an editor makes of the first when its user wants an expression."""
_log = logging.getLogger(__name__)


class SecretParameters:
    """Takes secrets out of documents and puts them back."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._paths: dict[tuple[str, float | None], tuple[SecretPath, ...]] = {}
        self._read_after = 0

    async def ready(self, document: Document) -> None:
        """Have the node types of the document read, off the event loop: some are large."""
        if any(self._unread(node) for node in _nodes(document)):
            await asyncio.to_thread(lambda: [self._paths_of(node) for node in _nodes(document)])

    def redacted(self, document: Document) -> Document:
        """The document as it is shown. Of a credential that was stored as a workflow, nothing secret is shown
        either."""
        if is_credential(document):
            return {key: MASK if key in VALUES else value for key, value in document.items()}
        shown = self._with_nodes(document, lambda node: self._changed(node, {}, masked))
        return _with_pinned(shown, ABSENT, masked)

    def taken(self, document: Document) -> list[tuple[SecretPath, Json]]:
        """The secrets that `redacted` takes out: keys from the document to each secret, and its value.

        A secret that lies in another one comes behind it.
        """
        if is_credential(document):
            return [((key,), document[key]) for key in VALUES if document.get(key, MASK) != MASK]
        listed = document.get("nodes")
        found = [
            (("nodes", str(index), "parameters", *place), value)
            for index, node in enumerate(listed if isinstance(listed, list) else ())
            if isinstance(node, dict)
            for place, value in self._values(node)
            if not _is_mask(value) and masked(value, ABSENT) == MASK
        ]
        pinned = [
            one
            for path in _pinned_paths(document)
            for one in found_at(document, path)
            if not _is_mask(one[1]) and one[1]
        ]
        return sorted(found + pinned, key=lambda one: len(one[0]))

    def hidden(self, workflow: Workflow) -> Workflow:
        """The workflow without secrets, for what its nodes' parameters are shown to."""
        nodes = {name: self._hidden(node) for name, node in workflow.nodes.items()}
        same = all(nodes[name] is node for name, node in workflow.nodes.items())
        return workflow if same else replace(workflow, nodes=nodes)

    def kept(self, document: Document, stored: Document | None) -> Document:
        """The document as it is stored: `***` is the secret of the same node in `stored`, by id, else by name; else
        empty."""
        if not has_masks(document):
            return document
        present = _Stored(stored or {})
        kept = self._with_nodes(document, lambda node: self._changed(node, present.like(node), _restored))
        return _with_pinned(kept, stored or {}, _restored)

    def lost(self, given: Document, stored: Document) -> list[str]:
        """Where `given` has `***` and `stored`, which was made of it, nothing; paths such as
        `nodes[2].parameters.secret`."""
        if not has_masks(given):
            return []
        pairs = zip(_nodes(given), _nodes(stored), strict=False)
        return [
            f"nodes[{index}].parameters.{'.'.join(place)}"
            for index, (one, other) in enumerate(pairs)
            for place, value in self._values(one)
            if _is_mask(value) and (place, "") in self._values(other)
        ]

    def _hidden(self, node: Node) -> Node:
        raw: dict[str, Json] = {"type": node.type, "typeVersion": node.version, "parameters": dict(node.parameters)}
        changed = self._changed(raw, {}, masked)
        parameters = changed["parameters"]
        return node if changed is raw or not isinstance(parameters, dict) else replace(node, parameters=parameters)

    def _with_nodes(self, document: Document, change: Callable[[dict[str, Json]], dict[str, Json]]) -> Document:
        listed = document.get("nodes")
        if not isinstance(listed, list):
            return document
        nodes: list[Json] = [change(node) if isinstance(node, dict) else node for node in listed]
        same = all(new is old for new, old in zip(nodes, listed, strict=True))
        return document if same else {**document, "nodes": nodes}

    def _changed(
        self, node: dict[str, Json], old: dict[str, Json], change: Callable[[Json, object], Json]
    ) -> dict[str, Json]:
        """The node with `change(value, what old has there)` in place of each secret."""
        given = parameters = node.get("parameters")
        for path in self._paths_of(node):
            parameters = changed_at(parameters, old.get("parameters", ABSENT), path, change)
        return node if parameters is given else {**node, "parameters": parameters}

    def _values(self, node: dict[str, Json]) -> list[tuple[SecretPath, Json]]:
        return [found for path in self._paths_of(node) for found in found_at(node.get("parameters"), path)]

    def _forget_stale(self) -> None:
        """Another version of a package may mark others."""
        if (count := renewals(self._context)) != self._read_after:
            self._read_after = count
            self._paths.clear()

    def _unread(self, node: dict[str, Json]) -> bool:
        kind = _kind(node)
        self._forget_stale()
        return (kind, _version(node)) not in self._paths and self._context.port(NodeCatalog).find(kind) is not None

    def _paths_of(self, node: dict[str, Json]) -> tuple[SecretPath, ...]:
        """The paths that the node's type marks in the version that runs.

        Of a type that nobody can ask, all that is named like a secret: a document outlives the plugins that it was
        written for.
        """
        kind, version = _kind(node), _version(node)
        self._forget_stale()
        if (kind, version) in self._paths:
            return self._paths[kind, version]
        node_type = self._context.port(NodeCatalog).find(kind)
        given = node.get("parameters")
        try:
            found = paths_of(node_type, version, given)
            known = node_type is not None and (version is None or version in node_type.versions)
        except BaseException as exc:
            if is_ctrl_c(exc):
                raise
            _log.exception("The parameters of the node type %s cannot be read for secrets.", kind)
            return paths_by_name(given)
        if known:  # documents may name any others
            self._paths[kind, version] = found
        return found


class _Stored:
    """The nodes of a stored document, to be found again."""

    def __init__(self, document: Document) -> None:
        self._nodes = _nodes(document)

    def like(self, node: dict[str, Json]) -> dict[str, Json]:
        """The same node; empty when there is none, or it is of another kind now."""
        ident, name = node.get("id"), node.get("name")
        same = [one for one in self._nodes if ident and one.get("id") == ident]
        if len(same) != 1:  # copies of a node within a file share its id
            same = [one for one in same or self._nodes if name and one.get("name") == name]
        return same[0] if same and _kind(same[0]) == _kind(node) else {}


def has_masks(document: Document) -> bool:
    """Whether `***` is a value of any parameter, secret or not, or of pinned data."""
    return any(_holds_mask(node.get("parameters")) for node in _nodes(document)) or _holds_mask(document.get("pinData"))


def _holds_mask(value: Json) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_mask, value.values()))
    return any(map(_holds_mask, value)) if isinstance(value, list) else _is_mask(value)


def _is_mask(value: object) -> bool:
    return isinstance(value, str) and value in MASKS


def _pinned_paths(document: Document) -> tuple[SecretPath, ...]:
    """Where pinned items of calls have what their callers proved themselves with."""
    pinned = document.get("pinData")
    found: dict[SecretPath, None] = {}
    for name, items in pinned.items() if isinstance(pinned, dict) else ():
        for item in items if isinstance(items, list) else ():
            for inner in (("json",), ()):
                for place, is_secret in caller_secrets.PLACES:
                    found |= dict.fromkeys(_named(item, ("pinData", name, ANY), (*inner, place), is_secret))
    return tuple(found)


def _named(item: Json, before: SecretPath, place: SecretPath, is_secret: Callable[[str], bool]) -> Iterator[SecretPath]:
    for key in place:
        item = item.get(key) if isinstance(item, dict) else None
    for name, value in item.items() if isinstance(item, dict) else ():
        if is_secret(name) and isinstance(value, str):
            yield (*before, *place, name)
        elif is_secret(name) and isinstance(value, list):
            yield (*before, *place, name, ANY)


def _with_pinned(document: Document, old: object, change: Callable[[Json, object], Json]) -> Document:
    changed: Json = document
    for path in _pinned_paths(document):
        changed = changed_at(changed, old, path, change)
    return changed if isinstance(changed, dict) else document


def _nodes(document: Document) -> list[dict[str, Json]]:
    listed = document.get("nodes")
    return [node for node in listed if isinstance(node, dict)] if isinstance(listed, list) else []


def _kind(node: dict[str, Json]) -> str:
    written = node.get("type")
    return local_type(written) if isinstance(written, str) else ""


def _version(node: dict[str, Json]) -> float | None:
    return number(node.get("typeVersion"))


def _restored(value: Json, old: object) -> Json:
    if not _is_mask(value):
        return value
    return "" if old is ABSENT or _is_mask(old) else old  # type: ignore[return-value]  # JSON, when not absent
