"""Where commands find the workflows, and how they say what went wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.cli import Cli
from jackfield.api.context import PluginContext
from jackfield.api.daemon import DaemonAbsent, DaemonClient, daemon_runs
from jackfield.api.errors import JackfieldError
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield_workflows.cli.access import SavedWorkflows, StoredWorkflows
from jackfield_workflows.cli.progress import printable

if TYPE_CHECKING:
    from jackfield_workflows.cli.remote import RemoteWorkflows

T = TypeVar("T")
REMOTE = "jackfield_workflows.cli.remote:at_address"
"""Without a daemon nobody needs its HTTP client."""


@record
class CommandTarget:
    """Where the workflows are: what the options of each command say."""

    cli: Cli
    config_dir: Path | None
    url: str | None
    api_key: str | None


def is_remote(target: CommandTarget) -> bool:
    """Whether a daemon is asked: one that is named, or the one that runs on the directory."""
    return bool(target.url) or daemon_runs(target.cli.config_dir(target.config_dir))


def reach(target: CommandTarget, work: Callable[[SavedWorkflows], Awaitable[T]]) -> T:
    """Do the work on the daemon's workflows when one runs, else on the store's. Raises `JackfieldError`."""
    if is_remote(target):
        return reach_daemon(target, work)

    async def reached(context: PluginContext) -> T:
        return await work(StoredWorkflows(context))

    return target.cli.run("workflows", reached, config_dir=target.config_dir)


def reach_daemon(target: CommandTarget, work: Callable[[RemoteWorkflows], Awaitable[T]]) -> T:
    """Do the work on the workflows of the daemon that runs. Raises `JackfieldError`."""
    directory = target.cli.config_dir(target.config_dir)
    at_address = cast("Callable[[Path, str, str | None], RemoteWorkflows]", load(REMOTE))
    remote = at_address(directory, target.url or _listening(target, directory), target.api_key)

    async def reached() -> T:
        async with remote:
            return await work(remote)

    return asyncio.run(reached())


def _listening(target: CommandTarget, directory: Path) -> str:
    """Where the daemon says that it listens, else where its settings say."""
    try:
        return DaemonClient(directory).base
    except DaemonAbsent:
        return target.cli.run_in(directory, "workflows", _configured)


async def _configured(context: PluginContext) -> str:
    service = context.service
    host = "127.0.0.1" if service.host in ("0.0.0.0", "::") else service.host  # noqa: S104 - to compare with
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{service.port}"


def with_details(error: JackfieldError) -> str:
    details = "".join(f"\n  {printable(path)}: {printable(str(text))}" for path, text in (error.details or {}).items())
    return f"{printable(error.message)}{details}"


def pretty(body: object) -> str:
    return json.dumps(body, ensure_ascii=False, indent=2, default=str)
