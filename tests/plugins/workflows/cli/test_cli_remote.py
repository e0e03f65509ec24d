"""The same through a daemon's API: what is asked, and how refusals are told."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from jackfield.api.daemon import daemon_runs
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield_workflows.cli.interrupts import cancelled_by_interrupt
from jackfield_workflows.cli.progress import CANCELLED, CommandOutcome, RunPrinter
from jackfield_workflows.cli.remote import RemoteWorkflows, at_address
from jackfield_workflows.cli.remote_run import run_there

ID = "01a1fffb-b183-79db-a66b-56f712d8ef6e"
Answer = Callable[[web.BaseRequest], Awaitable[web.Response]]


@asynccontextmanager
async def remote(answer: Answer) -> AsyncIterator[RemoteWorkflows]:
    """A client of a daemon that answers so."""
    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        async with at_address(Path(), f"http://127.0.0.1:{runner.addresses[0][1]}/", "the-key") as found:
            yield found
    finally:
        await runner.cleanup()


def always(status: int, body: dict[str, Any] | str) -> Answer:
    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(status=status, text=body if isinstance(body, str) else json.dumps(body))

    return answer


def execution(status: str, **more: Any) -> dict[str, Any]:
    return {"id": "e1", "status": status, "data": [], "nodes": {}, **more}


class Asked:
    """Answers run requests: first 202, then these executions one after another. Notes what was asked."""

    def __init__(self, *executions: dict[str, Any]) -> None:
        self.requests: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.waiting = asyncio.Event()
        self._executions = list(executions)

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        self.requests.append((request.method, request.raw_path))
        assert request.headers["X-API-Key"] == "the-key"
        if request.method == "POST":
            content = await request.read()
            self.bodies.append(json.loads(content) if content else None)
            return web.json_response({"executionId": "e1"}, status=202)
        self.waiting.set()
        found = self._executions.pop(0) if len(self._executions) > 1 else self._executions[0]
        return web.json_response(found)


async def test_a_saved_workflow_runs_and_its_nodes_are_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    first = {"index": 0, "duration": 1.5, "status": "success", "outputs": [[{"json": {}}]]}
    second = {"index": 1, "duration": 2, "status": "failed", "outputs": [], "error": {"message": "no"}}
    asked = Asked(
        execution("queued"),
        execution("running", nodes={"A": [first]}),
        execution("failed", nodes={"A": [first], "B": [second]}, error={"message": "no", "node": "B"}),
    )
    async with remote(asked) as found:
        ended = await run_there(found, ID, [{"json": {"a": 1}}], "A node", RunPrinter())
    assert ended == CommandOutcome("failed", (), {"message": "no", "node": "B"}, "e1")
    assert asked.requests[0] == ("POST", f"/api/v1/workflows/{ID}/execute-async?start=A+node")
    assert asked.bodies == [{"inputData": [{"json": {"a": 1}}]}]
    shown = capsys.readouterr().err.splitlines()
    assert [line.split()[:2] for line in shown] == [["ok", "A"], ["failed", "B"]]


async def test_a_document_runs_unsaved() -> None:
    asked = Asked(execution("success", data=[{"json": {"b": 2}}]))
    async with remote(asked) as found:
        ended = await run_there(found, {"nodes": []}, None, None, RunPrinter(quiet=True))
    assert (ended.status, list(ended.data), ended.exit_code) == ("success", [{"json": {"b": 2}}], 0)
    assert asked.requests[0] == ("POST", "/api/v1/workflows/run-async")
    assert asked.bodies == [{"workflow": {"nodes": []}}]


def _interrupted(found: RemoteWorkflows) -> Coroutine[Any, Any, CommandOutcome]:
    return cancelled_by_interrupt(run_there(found, ID, None, None, RunPrinter(quiet=True)), CANCELLED)


async def test_cancelling_cancels_the_run_in_the_daemon() -> None:
    asked = Asked(execution("running"))
    async with remote(asked) as found:
        task = asyncio.create_task(_interrupted(found))
        await asyncio.wait_for(asked.waiting.wait(), 5)
        inner = next(each for each in asyncio.all_tasks() if "run_there" in repr(each.get_coro()))
        inner.cancel()
        assert (await task).status == "cancelled"
    assert asked.requests[-1] == ("POST", "/api/v1/executions/e1/cancel")


async def test_an_interrupt_before_the_run_is_known_cancels_it_too() -> None:
    began, answer = asyncio.Event(), asyncio.Event()
    asked = Asked(execution("running"))

    async def slow(request: web.BaseRequest) -> web.Response:
        began.set()
        await answer.wait()
        return await asked(request)

    async with remote(slow) as found:
        task = asyncio.create_task(_interrupted(found))
        await asyncio.wait_for(began.wait(), 5)
        next(each for each in asyncio.all_tasks() if "run_there" in repr(each.get_coro())).cancel()
        await asyncio.sleep(0)
        answer.set()
        assert (await task).status == "cancelled"
    assert asked.requests[-1] == ("POST", "/api/v1/executions/e1/cancel")


async def test_pages_are_read_to_the_end() -> None:
    rows = [{"id": str(number)} for number in range(5)]

    async def answer(request: web.BaseRequest) -> web.Response:
        offset = int(request.query["offset"])
        return web.json_response({"data": rows[offset : offset + 2], "total": 5})

    async with remote(answer) as found:
        assert await found.rows() == rows


async def test_a_refused_import_is_an_answer() -> None:
    body = {"code": "VALIDATION_ERROR", "message": "No.", "imported": False, "results": []}
    async with remote(always(400, body)) as found:
        assert (await found.put([{}], partial=True))["imported"] is False


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (401, {"code": "AUTH_REQUIRED"}, JackfieldError, "JACKFIELD_API_KEY"),
        (404, {"message": "There is no workflow with this id."}, NotFound, "no workflow"),
        (500, {}, JackfieldError, "status 500"),
        (400, {"message": "Wrong.", "details": {"nodes": "x"}}, InvalidInput, "Wrong."),
        (413, {"message": "Too large."}, InvalidInput, "Too large."),
    ],
)
async def test_refusals(status: int, body: dict[str, Any], kind: type[JackfieldError], message: str) -> None:
    async with remote(always(status, body)) as found:
        with pytest.raises(kind, match=message):
            await found.read(ID)


async def test_an_answer_that_is_no_json() -> None:
    async with remote(always(502, "<html>")) as found:
        with pytest.raises(JackfieldError, match="status 502"):
            await found.read(ID)


async def test_a_daemon_that_does_not_answer_and_the_key_stays_unsaid() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    async with at_address(Path(), f"http://127.0.0.1:{port}", "the-key") as found:
        with pytest.raises(JackfieldError, match="does not answer") as caught:
            await found.rows()
    assert "the-key" not in caught.value.message


def test_a_lock_that_nobody_holds_is_no_daemon(tmp_path: Path) -> None:
    from jackfield.core.process.lock import DirectoryLock

    assert not daemon_runs(tmp_path)
    lock = DirectoryLock(tmp_path)
    lock.acquire()
    assert daemon_runs(tmp_path)
    (tmp_path / "daemon.lock").unlink()
    assert daemon_runs(tmp_path)
    lock.release()
    assert not daemon_runs(tmp_path)
    lock.acquire()
    lock.release()
