"""The example workflow of a node type's page: the node behind what starts it, with the parts that it needs.

The parts that a form cannot tell stand in `examples/*.toml`, by kind. They are `parameters` of the node, its `version`
where it is not the newest, and `items` (`more_items`). A Code node gives these items to its first (second) input.
Everything else is made of the form.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    LANGUAGE_MODEL,
    MEMORY,
    OUTPUT_PARSER,
    RERANKER,
    RETRIEVER,
    TEXT_SPLITTER,
    TOOL,
    VECTOR_STORE,
)
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield_workflows.node_pages.sample_values import sample_parameters

PLACE = Path(__file__).with_name("examples")
GIVES: Mapping[str, str] = {
    DOCUMENT: "langchain.documentDefaultDataLoader",
    EMBEDDING: "langchain.embeddingsOpenAi",
    LANGUAGE_MODEL: "langchain.lmChatOpenAi",
    MEMORY: "langchain.memoryBufferWindow",
    OUTPUT_PARSER: "langchain.outputParserItemList",
    RERANKER: "langchain.rerankerCohere",
    RETRIEVER: "langchain.retrieverVectorStore",
    TEXT_SPLITTER: "langchain.textSplitterRecursiveCharacterTextSplitter",
    TOOL: "langchain.toolCalculator",
    VECTOR_STORE: "langchain.vectorStoreInMemory",
}
"""Kind of wire -> the part that an example takes where one is needed."""
TAKES: Mapping[str, tuple[str, Mapping[str, Json]]] = {
    DOCUMENT: ("langchain.vectorStoreInMemory", {"mode": "insert"}),
    EMBEDDING: ("langchain.vectorStoreInMemory", {"mode": "insert"}),
    LANGUAGE_MODEL: ("langchain.chainLlm", {}),
    MEMORY: ("langchain.agent", {}),
    OUTPUT_PARSER: ("langchain.chainLlm", {"hasOutputParser": True}),
    RERANKER: ("langchain.vectorStoreInMemory", {"mode": "load", "useReranker": True, "prompt": "kilns"}),
    RETRIEVER: ("langchain.chainRetrievalQa", {}),
    TEXT_SPLITTER: ("langchain.documentDefaultDataLoader", {"textSplittingMode": "custom"}),
    TOOL: ("langchain.agent", {}),
    VECTOR_STORE: ("langchain.retrieverVectorStore", {}),
}
"""... -> a node that takes it, with its parameters."""
INSERTS: Mapping[str, Json] = {"mode": "insert"}
"""A vector store in the flow."""
STEP = 220
_LANGCHAIN = "langchain."


class NodeExamples:
    """Makes examples of the types of a catalogue."""

    def __init__(self, catalog: NodeCatalog, place: Path = PLACE) -> None:
        self._catalog = catalog
        self._written: dict[str, Mapping[str, Any]] = {}
        for path in sorted(place.glob("*.toml")):
            self._written |= tomllib.loads(path.read_text(encoding="utf-8"))

    def written(self) -> Sequence[str]:
        """The kinds for which something stands in the files."""
        return list(self._written)

    def of(self, node_type: NodeType) -> dict[str, Json]:
        """The document, in n8n's form. It validates; whether it runs depends on credentials and services."""
        return _Drawing(self._catalog, self._written, node_type).document()


class _Drawing:
    def __init__(self, catalog: NodeCatalog, written: Mapping[str, Mapping[str, Any]], node_type: NodeType) -> None:
        self._catalog = catalog
        self._written = written
        self._type = node_type
        self._nodes: list[dict[str, Json]] = []
        self._wires: dict[str, dict[str, list[list[dict[str, Json]]]]] = {}

    def document(self) -> dict[str, Json]:
        described = self._type.description
        own = self._written.get(self._type.kind, {})
        if described.trigger:
            name = self._added(self._type, own.get("parameters", {}), 0, 0)
            self._wire(name, self._plain("noOp", 1, 0), "main")
        elif self._stands_alone():
            self._added(self._type, own.get("parameters", {}), 0, 0)
        else:
            self._in_flow(own)
        title = f"{described.display_name}: example"
        return {"name": title, "nodes": self._nodes, "connections": self._wires, "settings": {}}  # type: ignore[dict-item]

    def _stands_alone(self) -> bool:
        """A note: nothing leads to it."""
        described = self._type.description
        return described.inputs == 0 and not described.outputs and not described.provides

    def _in_flow(self, own: Mapping[str, Any]) -> None:
        start = self._plain("manualTrigger", 0, 0)
        sources = [own[name] for name in ("items", "more_items") if name in own]
        before = [self._items(rows, place) for place, rows in enumerate(sources)]
        for source in before:
            self._wire(start, source, "main")
        column = 2 if before else 1
        parameters = dict(own.get("parameters", {}))
        top = self._placed(self._type, parameters, column, 0)
        for place, source in enumerate(before or [start]):
            self._wire(source, top, "main", place)

    def _items(self, rows: Sequence[Json], place: int) -> str:
        text = "return " + json.dumps([{"json": row} for row in rows], ensure_ascii=False) + ";"
        code = self._catalog.find("code")
        assert code is not None  # noqa: S101 - a kind of the standard nodes
        return self._added(code, {"jsCode": text}, 1, place, name="Sample data" + (f" {place + 1}" if place else ""))

    def _placed(self, node_type: NodeType, parameters: Mapping[str, Json], column: int, row: int) -> str:
        """The node with its parts, in the flow or below what takes it. The node that stands in the flow."""
        described = node_type.description
        given = dict(parameters)
        if described.provides == VECTOR_STORE and described.shapes and "mode" not in given:
            given |= INSERTS
        name = self._added(node_type, given, column, row)
        serves = described.provides if not (described.provides == VECTOR_STORE and given.get("mode")) else ""
        needs = list(described.needs)
        if given.get("mode") == "insert" and described.provides == VECTOR_STORE:
            needs = [EMBEDDING, DOCUMENT]
        self._supplied(name, needs, column, row + 1)
        return self._served(name, serves, column, row) if serves else name

    def _supplied(self, name: str, needs: Sequence[str], column: int, row: int) -> None:
        for place, need in enumerate(needs):
            part = self._catalog.find(GIVES.get(need, ""))
            if part is None:
                continue
            given = self._added(part, {}, column + place, row)
            self._wire(given, name, need)
            self._supplied(given, part.description.needs, column + place, row + 1)

    def _served(self, name: str, kind: str, column: int, row: int) -> str:
        """A node that takes this part, up to one that stands in the flow; its name."""
        kind_of_taker, parameters = TAKES.get(kind, ("", {}))
        taker = self._catalog.find(kind_of_taker)
        if taker is None:
            return name
        above = self._added(taker, parameters, column, row - 1)
        self._wire(name, above, kind)
        described = taker.description
        needs = [EMBEDDING, DOCUMENT] if parameters.get("mode") == "insert" else list(described.needs)
        self._supplied(above, [need for need in needs if need != kind], column + 1, row)
        serves = "" if parameters.get("mode") else described.provides
        return self._served(above, serves, column, row - 1) if serves else above

    def _plain(self, kind: str, column: int, row: int) -> str:
        found = self._catalog.find(kind)
        assert found is not None  # noqa: S101 - a kind of the standard nodes
        return self._added(found, {}, column, row)

    def _added(
        self, node_type: NodeType, parameters: Mapping[str, Json], column: int, row: int, *, name: str = ""
    ) -> str:
        known = {str(node["name"]) for node in self._nodes}
        wanted = name or node_type.description.display_name
        said = next(one for one in (wanted, *(f"{wanted} {n}" for n in range(2, 99))) if one not in known)
        written = self._written.get(node_type.kind, {})
        given = {**written.get("parameters", {}), **parameters}
        version = written.get("version", max(node_type.versions, default=1))
        self._nodes.append(
            {
                "id": f"node-{len(self._nodes) + 1}",
                "name": said,
                "type": full_type(node_type.kind),
                "typeVersion": version,
                "position": [column * STEP, row * STEP],
                "parameters": sample_parameters(node_type, version, given),
            }
        )
        return said

    def _wire(self, source: str, target: str, kind: str, place: int = 0) -> None:
        outputs = self._wires.setdefault(source, {}).setdefault(kind, [[]])
        outputs[0].append({"node": target, "type": kind, "index": place})


def full_type(kind: str) -> str:
    """As n8n writes it, so that the example can be pasted there too."""
    if kind.startswith(_LANGCHAIN):
        return f"@n8n/n8n-nodes-{kind}"
    return kind if "." in kind else f"n8n-nodes-base.{kind}"
