"""kill -9 at any moment: what was acknowledged is there afterwards, whole."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

from jackfield.api.storage import ExecutionFilter
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

ROUNDS = 20
WRITER = """
import asyncio, logging, pathlib, sys
from jackfield.api.ids import new_id
from jackfield.api.storage import CallUpdate, FinishedExecution, NewCall, NewExecution
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

async def write(store):
    while True:
        id, call = new_id(), new_id()
        request = NewCall(call, "h", 1, "POST", b"{}", id)
        start = NewExecution(id, "w", 1, "webhook", "running", 1, id.encode() * 100, 1, call=request)
        await store.add_execution(start)
        print("accepted", id, flush=True)
        end = FinishedExecution(id, "success", 2, 1, b"steps of " + id.encode(), None, CallUpdate(call, "h", "success"))
        await store.finish_execution(end)
        print("finished", id, flush=True)

async def main():
    store = SqliteStore(pathlib.Path(sys.argv[1]), SqliteSettings(), logging.getLogger("child"))
    await store.open()
    await asyncio.gather(*(write(store) for _ in range(8)))

asyncio.run(main())
"""


def killed(directory: Path, after: int) -> dict[str, str]:
    """Run the writer until it has reported that many lines; what it reported: id -> accepted or finished."""
    with subprocess.Popen([sys.executable, "-c", WRITER, directory], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            lines = [child.stdout.readline() for _ in range(after)]
        finally:
            os.kill(child.pid, signal.SIGKILL)
        lines += child.stdout.readlines()
    whole = [line.split() for line in lines if line.endswith("\n")]
    return {execution_id: state for state, execution_id in whole}


async def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    acknowledged: dict[str, str] = {}
    for number in range(ROUNDS):
        reported = killed(tmp_path, after=5 + 7 * number)
        assert len(reported) >= 2
        acknowledged |= reported
        store = SqliteStore(tmp_path, SqliteSettings(), logging.getLogger("jackfield.test"))
        await store.open()
        try:
            await check(store, acknowledged)
        finally:
            await store.close()


async def check(store: SqliteStore, acknowledged: dict[str, str]) -> None:
    page = await store.executions(ExecutionFilter(), offset=0, limit=100_000)
    status = {row.id: row.status for row in page.rows}
    assert acknowledged.keys() <= status.keys()
    assert {status[each] for each, state in acknowledged.items() if state == "finished"} <= {"success"}
    for execution_id, state in list(acknowledged.items())[-20:]:
        found = await store.execution(execution_id)
        assert found is not None
        assert found.input == execution_id.encode() * 100
        assert list(found.steps) == ([b"steps of " + execution_id.encode()] if found.row.status == "success" else [])
        assert found.call_status == ("success" if found.row.status == "success" else "pending")
        assert state == "accepted" or found.row.status == "success"
    calls = await store.calls("h", status=None, offset=0, limit=100_000)
    assert {call.execution_id for call in calls.rows} == status.keys()
    stats = await store.webhook_stats("h")
    assert (stats.total_calls, stats.success_calls) == (page.total, list(status.values()).count("success"))
