"""A run in the daemon, watched from the command line."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from jackfield.api.errors import JackfieldError
from jackfield.api.workflows import Document, Items
from jackfield_workflows.cli.progress import CommandOutcome, RunPrinter
from jackfield_workflows.cli.remote import RemoteWorkflows
from jackfield_workflows.cli.run_following import FIRST_PAUSE_S, OVER, longer, tell_nodes
from jackfield_workflows.documents.identities import known_id


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
        tell_nodes(found.get("nodes") or {}, told, progress)
        if found["status"] in OVER:
            return CommandOutcome(found["status"], found.get("data") or (), found.get("error"), execution_id)
        await asyncio.sleep(pause)
        pause = longer(pause)
