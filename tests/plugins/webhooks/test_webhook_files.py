"""Files of calls: large ones are kept outside of the items, and answered from there."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Bench
from jackfield.api.binary import BinaryError
from jackfield.api.engine import WaitingCall
from jackfield.api.ids import is_uuid, new_id
from jackfield.api.resume import ResumeLinks
from jackfield.api.workflows import Node, Workflow, WorkflowSettings
from jackfield.testing.binary import MemoryBinary

LARGE = bytes(range(256)) * 400


def kept(bench: Bench) -> dict[str, bytes]:
    store: MemoryBinary = bench.context.binary
    return store.shared.kept


async def test_a_large_file_of_a_form_is_kept_for_the_execution(bench: Bench) -> None:
    await bench.hook("files")
    parts = [("small", b"little"), ("large", LARGE)]
    body = b"".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.bin"\r\n'
        "Content-Type: image/png\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, content in parts
    )
    await bench.call("files", body=body + b"--x--\r\n", headers={"content-type": "multipart/form-data; boundary=x"})
    files: Any = bench.engine.requests[-1].items[0]["binary"]
    assert files["small"]["data"] == "bGl0dGxl"
    assert "id" not in files["small"]
    large = files["large"]
    assert (large["data"], large["fileName"], large["mimeType"], large["fileSize"]) == (
        "", "large.bin", "image/png", len(LARGE),
    )  # fmt: skip
    assert kept(bench)[large["id"]] == LARGE
    given = bench.engine.requests[-1].id
    assert given is not None
    assert is_uuid(given)


async def test_a_call_without_large_files_leaves_the_id_to_the_engine(bench: Bench) -> None:
    await bench.hook("files")
    await bench.call("files", body=b"little", headers={"content-type": "image/png"})
    assert bench.engine.requests[-1].id is None
    assert kept(bench) == {}


async def test_a_full_disk_is_503_and_starts_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.hook("files")

    async def full(*_: object, **__: object) -> Any:
        raise BinaryError("The file could not be kept: the disk is full.")

    monkeypatch.setattr(bench.context.binary.shared, "write", full)
    answer = await bench.call("files", body=LARGE, headers={"content-type": "image/png"})
    assert (answer.status, answer.code) == (503, "STORE_UNAVAILABLE")
    assert bench.engine.requests == []


async def test_a_kept_file_is_answered(bench: Bench) -> None:
    await bench.hook("file", responseMode="lastNode", responseData="firstEntryBinary")
    file = await bench.context.binary.files("e").write(LARGE, mime_type="image/png", file_name="a.png")
    bench.engine.items = [{"json": {}, "binary": {"data": file}}]
    answer = await bench.call("file")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, LARGE, "image/png")
    kept(bench).clear()
    answer = await bench.call("file")
    assert (answer.status, answer.code) == (500, "EXECUTION_FAILED")
    assert answer.json()["message"] == "The workflow's answer is a file that cannot be read."


async def test_a_large_file_of_a_call_that_is_waited_for(bench: Bench) -> None:
    ident = new_id()
    node = Node("n", "Wait", "n8n-nodes-base.wait", "wait", 1.1, {})
    workflow = Workflow("w", "W", 1, True, {"Wait": node}, {}, WorkflowSettings(), {}, {})
    call: Any = {"kind": "webhook", "parameters": {"httpMethod": "POST"}}
    bench.engine.waits[ident] = WaitingCall(ident, 3, workflow, node, "webhook", call)
    token = ResumeLinks(bench.context).token(ident)
    answer = await bench.waiting(token, body=LARGE, headers={"content-type": "image/png"})
    assert answer.status == 200
    file = bench.engine.resumed[0][0]["binary"]["data"]
    assert (file["data"], kept(bench)[file["id"]]) == ("", LARGE)
