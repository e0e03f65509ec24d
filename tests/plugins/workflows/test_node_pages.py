"""Pages about node types: every one has its example, which validates, and runs where it needs nobody else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.context import WorkflowReader
from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield.core.building import build
from jackfield.testing.daemon import Daemon
from jackfield_workflows.node_pages.examples import NodeExamples
from jackfield_workflows.node_pages.page import index_page, node_page, page_name

OFFLINE = frozenset(("flow", "transform", "code", "output"))
"""Groups whose examples run by themselves ..."""
NEED_MORE = {
    "agent": "a coding agent",
    "compression": "a file",
    "dataTable": "a data table",
    "executeCommand": "a setting that allows it",
    "extractFromFile": "a file",
    "form": "a person",
    "jwt": "a credential",
    "mendWithAgent": "a failed execution and a coding agent",
    "readWriteFile": "a setting that names the folder",
    "stickyNote": "nothing: it is a text on the canvas",
    "stopAndError": "it fails",
    "terminalSession": "a terminal",
    "wait": "time: the caller is answered before its end",
    "writeBinaryFile": "a setting that names the folder",
}
"""... and those that need something else."""


class Lab:
    def __init__(self, place: Path) -> None:
        context = build(place, {}, {}).context("pages")
        self.reader = context.port(WorkflowReader)
        self.catalog = context.port(NodeCatalog)
        self.examples = NodeExamples(self.catalog)

    def page(self, kind: str) -> str:
        found = self.type(kind)
        return node_page(found, self.examples.of(found))

    def type(self, kind: str) -> NodeType:
        found = self.catalog.find(kind)
        assert found is not None
        return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("examples")).start()
    yield found
    found.close()


def test_the_example_of_every_type_validates_and_has_the_node(lab: Lab) -> None:
    mistakes = {}
    for node_type in lab.catalog.all():
        workflow = lab.reader.parse(lab.examples.of(node_type))
        assert node_type.kind in {node.kind for node in workflow.nodes.values()}
        told = [
            f"{one.path}: {one.message}"
            for one in lab.reader.problems(workflow)
            if not (one.path.endswith("].type") and "cannot run here" in one.message)
        ]
        if told:
            mistakes[node_type.kind] = told
    assert mistakes == {}


def test_examples_that_need_nobody_run(lab: Lab, daemon: Daemon) -> None:
    api = daemon.admin()
    failed: dict[str, Any] = {}
    some = [one for one in lab.catalog.all() if one.description.group in OFFLINE and not one.description.missing]
    kinds = [one.kind for one in some if one.kind not in NEED_MORE]
    for kind in kinds:
        answer = api.post("/workflows/run", json={"workflow": lab.examples.of(lab.type(kind))}).json()
        if answer.get("status") != "success":
            failed[kind] = answer.get("error") or answer
    assert failed == {}
    assert len(kinds) > 25


def test_what_stands_in_the_files_is_of_types_that_there_are(lab: Lab) -> None:
    unknown = [kind for kind in lab.examples.written() if lab.catalog.find(kind) is None]
    assert unknown == []
    assert [kind for kind in NEED_MORE if lab.catalog.find(kind) is None] == []


def test_a_page_has_all_that_there_is_to_say(lab: Lab) -> None:
    text = lab.page("slack")
    assert text.startswith("# Slack\n\n")
    for wanted in ("- Kind: `slack`", "## Credentials", "`slackApi`", "## Parameters", "| `channelId`", "## Limits"):
        assert wanted in text
    (example,) = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    assert [node["type"] for node in json.loads(example)["nodes"]] == [
        "n8n-nodes-base.manualTrigger",
        "n8n-nodes-base.slack",
    ]
    assert "[More about such nodes](../workflows.md#nodes)" in lab.page("if")


def test_the_page_of_a_type_that_cannot_run_says_why(lab: Lab) -> None:
    missing = lab.type("langchain.memoryZep").description.missing
    assert f"**It cannot run here:** {missing}" in lab.page("langchain.memoryZep")


def test_rows_of_a_table_have_as_many_cells_as_its_head(lab: Lab) -> None:
    for kind in ("set", "httpRequest", "switch", "slack", "googleSheets", "crypto"):
        rows = [line for line in lab.page(kind).splitlines() if line.startswith("| ")]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}, kind


def test_parts_stand_with_what_takes_them(lab: Lab) -> None:
    def wires(kind: str) -> set[tuple[str, str, str]]:
        example: Any = lab.examples.of(lab.type(kind))
        types = {node["name"]: node["type"].rpartition(".")[2] for node in example["nodes"]}
        return {
            (types[source], wire, types[target["node"]])
            for source, outputs in example["connections"].items()
            for wire, ports in outputs.items()
            for target in ports[0]
        }

    assert wires("langchain.memoryBufferWindow") == {
        ("manualTrigger", "main", "agent"),
        ("lmChatOpenAi", "ai_languageModel", "agent"),
        ("memoryBufferWindow", "ai_memory", "agent"),
    }
    assert ("vectorStoreInMemory", "ai_vectorStore", "retrieverVectorStore") in wires("langchain.retrieverVectorStore")
    assert ("textSplitterTokenSplitter", "ai_textSplitter", "documentDefaultDataLoader") in wires(
        "langchain.textSplitterTokenSplitter"
    )


def test_the_list_has_every_type_by_group(lab: Lab) -> None:
    text = index_page(lab.catalog.all())
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[:3] == ["Triggers", "Flow", "Data"]
    links = set(re.findall(r"\]\(([^)]+)\.md\)", text))
    assert links == {page_name(one.kind) for one in lab.catalog.all()}
    assert all(re.fullmatch(r"[\w.-]+", link) for link in links)


def test_the_api_gives_a_page_under_any_name(daemon: Daemon) -> None:
    api = daemon.admin()
    found = api.get("/node-types/n8n-nodes-base.set/page")
    assert (found.status_code, found.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert found.text.startswith("# Edit Fields")
    assert "(workflows.md#nodes)" in found.text
    assert api.get("/node-types/@vlm-run/n8n-nodes-vlmrun.vlmRun/page").status_code == 200
    assert api.get("/node-types/nope/page").status_code == 404
