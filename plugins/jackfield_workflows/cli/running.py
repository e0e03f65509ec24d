"""`jackfield workflow run`: on a running daemon, else here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from jackfield.api.cli import echo_error
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.daemon_commands import identified
from jackfield.api.errors import JackfieldError
from jackfield.api.ids import is_uuid
from jackfield.api.object_references import load
from jackfield_workflows.cli.access import SavedWorkflows, StoredWorkflows
from jackfield_workflows.cli.interrupts import cancelled_by_interrupt
from jackfield_workflows.cli.progress import CANCELLED, CommandOutcome, RunPrinter, show
from jackfield_workflows.cli.reaching import CommandTarget, is_remote, reach_daemon
from jackfield_workflows.cli.sources import STDIN, read_input, read_one

if TYPE_CHECKING:
    from jackfield_workflows.cli.remote import RemoteWorkflows

UNUSABLE = 2
RUN_THERE = "jackfield_workflows.cli.remote_run:run_there"
RUN_HERE = "jackfield_workflows.cli.local_run:run_here"
"""A run needs one of both."""
RunWork = Callable[..., Coroutine[Any, Any, CommandOutcome]]  # each with its own parameters


def run(target: CommandTarget, what: str, given: str | None, start: str | None, *, as_json: bool, quiet: bool) -> None:
    """Ends the process with the command's exit code."""
    if what == STDIN and given == STDIN:
        raise click.UsageError("Standard input is either the workflow or its input.")
    try:
        ended = _run(target, what, given, start, RunPrinter(quiet=quiet))
    except JackfieldError as exc:
        echo_error(exc.code, exc.message, exc.details, as_json=as_json)
        sys.exit(UNUSABLE)
    show(ended, as_json=as_json)
    sys.exit(ended.exit_code)


def _run(
    target: CommandTarget, what: str, given: str | None, start: str | None, progress: RunPrinter
) -> CommandOutcome:
    """Raises `JackfieldError`."""
    items = read_input(given)
    document: Any = what if _is_saved(what) else read_one(what)

    async def work_there(remote: RemoteWorkflows) -> CommandOutcome:
        there = cast("RunWork", load(RUN_THERE))
        chosen = await _chosen(remote, document)
        return await cancelled_by_interrupt(there(remote, chosen, items, start, progress), CANCELLED)

    async def work(context: PluginContext) -> CommandOutcome:
        here = cast("RunWork", load(RUN_HERE))
        reader = context.port(WorkflowReader)
        chosen = await _chosen(StoredWorkflows(context), document)
        loaded = await reader.load(chosen) if isinstance(chosen, str) else reader.parse(chosen)
        return await cancelled_by_interrupt(here(context, loaded, items, start, progress), CANCELLED)

    if is_remote(target):
        return reach_daemon(target, work_there)
    return target.cli.run("workflows", work, config_dir=target.config_dir)


def _is_saved(what: str) -> bool:
    """Whether this names a saved workflow rather than a file: no such file is there, nor does it look like one.
    Names of workflows may have slashes."""
    return (
        what != STDIN
        and not Path(what).exists()
        and not what.endswith(".json")
        and not what.startswith((".", "/", "~"))
    )


async def _chosen(saved: SavedWorkflows, document: Any) -> Any:  # a document, or the id or name of a saved one
    """The document, or the id. Raises `NotFound`, `InvalidInput`."""
    if not isinstance(document, str) or is_uuid(document):
        return document
    return identified(await saved.rows(), document, "workflow")
