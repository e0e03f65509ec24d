"""Node types as the API shows them: JSON Schema per version, built once, on first use, off the event loop."""

from __future__ import annotations

import asyncio
import logging

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog, NodeParameters, NodeType

_log = logging.getLogger(__name__)


class NodeTypeViews:
    """Views of every node type, by kind."""

    def __init__(self) -> None:
        self._views: dict[str, dict[str, Json]] | None = None
        self._lock = asyncio.Lock()

    async def views(self, catalog: NodeCatalog) -> dict[str, dict[str, Json]]:
        async with self._lock:
            if self._views is None:
                self._views = await asyncio.to_thread(_build, catalog)
            return self._views


def _build(catalog: NodeCatalog) -> dict[str, dict[str, Json]]:
    return {node_type.kind: node_type_view(node_type) for node_type in sorted(catalog.all(), key=lambda t: t.kind)}


def node_type_view(node_type: NodeType) -> dict[str, Json]:
    """`parameters` is the form of the newest version; `forms` has those of all versions, each once."""
    forms: dict[type[NodeParameters], list[float]] = {}
    versions = sorted(node_type.versions)
    for version in versions:
        forms.setdefault(node_type.parameters(version), []).append(version)
    forms.setdefault(node_type.parameters(None), [])
    schemas = {model: _schema(model, node_type.kind) for model in forms}
    described = node_type.description
    return {
        "kind": node_type.kind,
        "type": f"jackfield.{node_type.kind}",
        "displayName": described.display_name,
        "description": described.summary,
        "group": described.group,
        "versions": list(versions),
        "trigger": described.trigger,
        "effect": node_type.effect,
        "inputs": described.inputs,
        "outputs": list(described.outputs),
        "provides": described.provides,
        "accepts": list(described.accepts),
        "needs": list(described.needs),
        "missing": described.missing,
        "parameters": schemas[node_type.parameters(versions[-1] if versions else None)],
        "forms": [
            {"versions": list(given), "default": model is node_type.parameters(None), "parameters": schemas[model]}
            for model, given in forms.items()
        ],
    }


def _schema(model: type[NodeParameters], kind: str) -> dict[str, Json]:
    try:
        return model.model_json_schema(by_alias=True)
    except Exception:
        _log.exception("The parameters of the node type %s have no JSON Schema.", kind)
        return {"type": "object"}
