"""A run in the daemon, watched from the command line."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from jackfield.api.errors import JackfieldError
from jackfield.api.workflows import Document, Items
from jackfield_workflows.cli.progress import CommandOutcome, RunPrinter
from jackfield_workflows.cli.remote import RemoteWorkflows
from jackfield_workflows.documents.identities import known_id

OVER = frozenset({"success", "failed", "cancelled"})
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0


async def run_there(
    remote: RemoteWorkflows, workflow: Document | str, items: Items | None, start: str | None, progress: RunPrinter
) -> CommandOutcome:
    """Run a saved workflow, by its id, or a document, to the end. Cancelling this cancels the run. Raises
    `JackfieldError`."""
    given: dict[str, Any] = {} if items is None else {"inputData": items}
    query = {"start": start} if start else {}
    if isinstance(workflow, str):
        path = f"/workflows/{known_id(workflow, 'workflow')}/execute-async"
    else:
        path, given = "/workflows/run-async", {**given, "workflow": workflow}
    asked = asyncio.ensure_future(remote.ask("POST", path, params=query, json=given))
    try:
        execution_id = str((await asyncio.shield(asked))["executionId"])
        return await _watch(remote, execution_id, progress)
    except asyncio.CancelledError:
        execution_id = str((await asked)["executionId"])  # a run that was asked for has to be known to be cancelled
        with contextlib.suppress(JackfieldError):  # it may be over
            await remote.ask("POST", f"/executions/{execution_id}/cancel")
        return CommandOutcome("cancelled", execution_id=execution_id)


async def _watch(remote: RemoteWorkflows, execution_id: str, progress: RunPrinter) -> CommandOutcome:
    """Ask until it is over. Node runs appear when the daemon has stored them."""
    told: set[int] = set()
    pause = FIRST_PAUSE_S
    while True:
        found = await remote.ask("GET", f"/executions/{execution_id}")
        _tell(found.get("nodes") or {}, told, progress)
        if found["status"] in OVER:
            return CommandOutcome(found["status"], found.get("data") or (), found.get("error"), execution_id)
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE_S)


def _tell(nodes: Mapping[str, Any], told: set[int], progress: RunPrinter) -> None:
    runs = sorted((run["index"], name, run) for name, each in nodes.items() for run in each if run["index"] not in told)
    for index, name, run in runs:
        told.add(index)
        error = run.get("error")
        message = str(error.get("message", "")) if isinstance(error, dict) else None
        progress.node(name, run.get("duration") or 0, sum(map(len, run.get("outputs") or [])), message)
