"""Files of items in executions: kept as long as an execution refers to them, and never large inside of items."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Lab, doc, request

from jackfield.api.binary import BinarySettings
from jackfield.api.nodes import NodeRun
from jackfield.api.workflows import BinaryData, Outputs
from jackfield.testing.context import FakeContext
from jackfield_binary.store import DiskStore
from jackfield_engine.engine import EmbeddedEngine, build
from jackfield_engine.shared.item_files import without_large_data
from jackfield_workflows.history.retries import retry_request

LARGE = b"x" * 1000
LIMITS = BinarySettings(inline_limit=100)


class Files:
    """An engine over files on disk."""

    def __init__(self, path: Path) -> None:
        self.lab = Lab(path, tables=[LIMITS])
        self.store = DiskStore(path / "binary", LIMITS)

        async def making(run: NodeRun) -> Outputs:
            file = await run.binary.write(LARGE, mime_type="text/plain", file_name="a.txt")
            return [[{"json": {}, "binary": {"f": file}}]]

        async def scripting(run: NodeRun) -> Outputs:
            data = base64.b64encode(LARGE).decode()
            file: BinaryData = {"data": data, "mimeType": "text/plain", "fileName": "a.txt"}
            return [[{"json": {"i": 1}, "binary": {"f": file, "small": {"data": "aGk=", "mimeType": "a/b"}}}]]

        async def reading(run: NodeRun) -> Outputs:
            content = await run.binary.read(run.items[0]["binary"]["f"])
            return [[{"json": {"size": len(content)}, "binary": run.items[0]["binary"]}]]

        self.lab.kind("make", making)
        self.lab.kind("script", scripting)
        self.lab.kind("read", reading)

    def context(self) -> FakeContext:
        context = self.lab.context()
        context.ports["BinaryStore"] = self.store
        return context

    def engine(self) -> EmbeddedEngine:
        return build(self.context())


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


async def run(files: Files, *nodes: Any, **more: Any) -> Any:
    execution = files.engine().submit(request(files.lab.parse(doc(("In", "webhook"), *nodes)), **more))
    outcome = await disk_ended(execution)
    return execution, outcome


async def disk_ended(execution: Any) -> Any:
    """Disks take longer than turns of the event loop."""
    await execution.stored
    return execution.finished.result()


async def test_a_file_that_a_node_made_is_read_by_the_next(files: Files) -> None:
    execution, outcome = await run(files, ("A", "make"), ("B", "read"))
    assert outcome.items[0]["json"] == {"size": 1000}
    (owned,) = (files.store.layout.executions / execution.id).iterdir()
    assert owned.name == outcome.items[0]["binary"]["f"]["id"]


async def test_large_base64_of_a_node_is_moved_out_of_its_item(files: Files) -> None:
    _, outcome = await run(files, ("A", "script"), ("B", "read"))
    found = outcome.items[0]["binary"]
    assert (found["f"]["data"], found["f"]["fileName"], found["f"]["bytes"]) == ("", "a.txt", 1000)
    assert found["small"] == {"data": "aGk=", "mimeType": "a/b"}
    assert outcome.items[0]["json"] == {"size": 1000}


async def test_what_cannot_be_moved_out_fails_the_node(files: Files) -> None:
    async def broken(run: NodeRun) -> Outputs:
        return [[{"json": {}, "binary": {"f": {"data": "%" * 1000, "mimeType": "a/b"}}}]]

    files.lab.kind("broken64", broken)
    _, outcome = await run(files, ("A", "broken64"))
    assert outcome.failure.node == "A"
    assert outcome.failure.message == "The file 'f' cannot be kept: The file's data is not valid base64."


async def test_a_file_that_is_gone_is_the_users_error(files: Files) -> None:
    gone: Any = {"data": "", "mimeType": "a/b", "id": "0" * 64}
    _, outcome = await run(files, ("A", "read"), items=[{"json": {}, "binary": {"f": gone}}])
    assert outcome.failure.message == "The file does not exist any more."


async def test_an_execution_adopts_the_files_of_its_input(files: Files) -> None:
    file = await files.store.files("other").write(LARGE, mime_type="a/b")
    execution, _ = await run(files, ("A", "pass"), items=[{"json": {}, "binary": {"f": file}}])
    await files.store.release(["other"])
    assert await files.store.files(execution.id).read(file) == LARGE


async def test_a_retry_adopts_the_files_of_what_it_takes_over(files: Files) -> None:
    first, _ = await run(files, ("A", "make"), ("B", "fail"))
    stored = await files.lab.store.execution(first.id)
    assert stored is not None
    again = files.engine().submit(await retry_request(files.context(), stored, "failed"))
    await disk_ended(again)
    await files.store.release([first.id])
    made: BinaryData = {"data": "", "mimeType": "a/b", "id": hashlib.sha256(LARGE).hexdigest()}
    assert await files.store.files(again.id).read(made) == LARGE


async def test_a_parent_adopts_the_files_of_its_child(files: Files) -> None:
    child = await files.lab.save(doc(("In", "executeWorkflowTrigger"), ("A", "make")))
    parent, outcome = await run(files, ("Go", "call", {"parameters": {"workflow": child.id}}))
    file = outcome.items[0]["binary"]["f"]
    for directory in files.store.layout.executions.iterdir():
        if directory.name != parent.id:
            await files.store.release([directory.name])
    assert await files.store.files(parent.id).read(file) == LARGE


async def test_an_execution_may_bring_its_id(files: Files) -> None:
    execution, _ = await run(files, ("A", "pass"), id="01900000-0000-7000-8000-000000000001")
    assert execution.id == "01900000-0000-7000-8000-000000000001"


ODD: list[Any] = [
    [[{"json": {}, "binary": None}]],
    [[{"json": {}, "binary": [1]}]],
    [[{"json": {}, "binary": {"a": None, "b": {"data": 5}, "c": {"data": "x" * 999, "id": "kept"}}}]],
    [],
    [[]],
]


@pytest.mark.parametrize("outputs", ODD)
async def test_whatever_scripts_give_stays(files: Files, outputs: Any) -> None:
    assert await without_large_data(files.context(), "e1", outputs) is outputs
