"""Where commands find the workflows, and how they say what went wrong."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.cli import Cli
from jackfield.api.context import PluginContext, Service
from jackfield.api.daemon import DaemonAbsent, DaemonClient
from jackfield.api.errors import JackfieldError
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield_workflows.cli.access import SavedWorkflows, StoredWorkflows, daemon_runs
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


def reach(target: CommandTarget, work: Callable[[SavedWorkflows], Awaitable[T]]) -> T:
    """Do the work on the daemon's workflows when one runs, else on the store's. Raises `JackfieldError`."""

    async def reached(context: PluginContext) -> T:
        if target.url or daemon_runs(context.service.config_dir):
            async with remote_workflows(target, context) as remote:
                return await work(remote)
        return await work(StoredWorkflows(context))

    return target.cli.run("workflows", reached, config_dir=target.config_dir)


def remote_workflows(target: CommandTarget, context: PluginContext) -> RemoteWorkflows:
    """Those of the daemon that runs."""
    at_address = cast("Callable[[Path, str, str | None], RemoteWorkflows]", load(REMOTE))
    service = context.service
    return at_address(service.config_dir, target.url or _listening(service), target.api_key)


def _listening(service: Service) -> str:
    """Where the daemon says that it listens, else where its settings say."""
    try:
        return DaemonClient(service.config_dir).base
    except DaemonAbsent:
        host = "127.0.0.1" if service.host in ("0.0.0.0", "::") else service.host  # noqa: S104 - to compare with
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{service.port}"


def with_details(error: JackfieldError) -> str:
    details = "".join(f"\n  {printable(path)}: {printable(str(text))}" for path, text in (error.details or {}).items())
    return f"{printable(error.message)}{details}"


def pretty(body: object) -> str:
    return json.dumps(body, ensure_ascii=False, indent=2, default=str)
