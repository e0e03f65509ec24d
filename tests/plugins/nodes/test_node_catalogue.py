"""Every node: cheap to register, complete, and its forms are JSON Schema."""

from __future__ import annotations

import subprocess
import sys

import pytest
from node_fakes import Bench

from jackfield_nodes.catalogue import MODULES

VERSIONS = {
    "convertToFile": (1, 1.1),
    "compression": (1, 1.1),
    "crypto": (1, 2),
    "dateTime": (1, 2),
    "debugHelper": (1,),
    "editImage": (1, 1.1),
    "executionData": (1, 1.1),
    "extractFromFile": (1, 1.1),
    "html": (1, 1.1, 1.2),
    "htmlExtract": (1,),
    "markdown": (1,),
    "moveBinaryData": (1, 1.1),
    "readBinaryFile": (1,),
    "readBinaryFiles": (1,),
    "readWriteFile": (1, 1.1),
    "spreadsheetFile": (1, 2),
    "writeBinaryFile": (1,),
    "xml": (1,),
    "aggregate": (1,),
    "compareDatasets": (1, 2, 2.1, 2.2, 2.3),
    "itemLists": (1, 2, 2.1, 2.2, 3, 3.1),
    "merge": (1, 2, 2.1, 3, 3.1, 3.2),
    "splitOut": (1,),
    "summarize": (1, 1.1),
    "filter": (1, 2, 2.1, 2.2, 2.3),
    "langchain.modelSelector": (1,),
    "function": (1,),
    "functionItem": (1,),
    "jwt": (1,),
    "limit": (1,),
    "removeDuplicates": (1, 1.1, 2),
    "renameKeys": (1,),
    "sort": (1,),
    "splitInBatches": (1, 2, 3),
    "switch": (1, 2, 3, 3.1, 3.2, 3.3, 3.4),
    "set": (1, 2, 3, 3.1, 3.2, 3.3, 3.4, 3.5),
    "if": (1, 2, 2.1, 2.2, 2.3),
    "noOp": (1,),
    "code": (1, 2),
    "stopAndError": (1,),
    "wait": (1, 1.1),
    "httpRequest": (1, 2, 3, 4, 4.1, 4.2, 4.3, 4.4),
    "respondToWebhook": (1, 1.1, 1.2, 1.3, 1.4, 1.5),
    "localFileTrigger": (1,),
    "manualTrigger": (1,),
    "sseTrigger": (1,),
    "start": (1,),
    "stickyNote": (1,),
    "errorTrigger": (1,),
    "executeWorkflow": (1, 1.1, 1.2, 1.3),
    "executeWorkflowTrigger": (1, 1.1),
}
EFFECTS = {"httpRequest", "executeWorkflow", "readWriteFile", "writeBinaryFile"}
TRIGGERS = {"manualTrigger", "start", "errorTrigger", "localFileTrigger", "sseTrigger", "executeWorkflowTrigger"}


def test_every_node_is_there_with_its_versions(bench: Bench) -> None:
    assert {kind: tuple(node.versions) for kind, node in bench.types.items()} == VERSIONS
    assert {kind for kind, node in bench.types.items() if node.effect} == EFFECTS
    assert {kind for kind, node in bench.types.items() if node.description.trigger} == TRIGGERS


@pytest.mark.parametrize("kind", MODULES)
def test_every_form_is_a_json_schema_in_the_documents_names(bench: Bench, kind: str) -> None:
    node = bench.types[kind]
    for version in (None, *node.versions):
        schema = node.parameters(version).model_json_schema(by_alias=True)
        assert schema["type"] == "object"
        assert not [name for name in schema.get("properties", {}) if "_" in name]


@pytest.mark.parametrize("kind", MODULES)
def test_every_form_accepts_no_parameters_and_keeps_unknown_ones(bench: Bench, kind: str) -> None:
    node = bench.types[kind]
    for version in (None, *node.versions):
        made = node.parameters(version).model_validate({"unheardOf": {"a": 1}})
        assert made.model_extra == {"unheardOf": {"a": 1}}


def test_an_unknown_attribute_is_no_attribute(bench: Bench) -> None:
    with pytest.raises(AttributeError):
        _ = bench.types["set"].unheard_of  # type: ignore[attr-defined]


def test_registration_imports_no_node() -> None:
    program = (
        "import sys, jackfield_nodes as n\n"
        "found = n.NodesPlugin(None).jackfield_nodes()\n"
        "loaded = {m for m in sys.modules if m.startswith('jackfield_nodes.')} - {'jackfield_nodes.catalogue'}\n"
        "print(len(found), sorted(loaded), 'httpx' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == f"{len(MODULES)} [] False"
