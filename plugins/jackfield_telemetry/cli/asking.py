"""How commands use the parts of the plugin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from jackfield.api.cli import Cli, echo_warning
from jackfield.api.context import PluginContext
from jackfield.api.daemon_commands import identified
from jackfield.api.jsontext import Json
from jackfield.api.management import ManagementClient
from jackfield.api.projects import ProjectAccess, whole_store
from jackfield.api.storage import SHARED
from jackfield_telemetry.http.reach import seen_profiles
from jackfield_telemetry.reports.periods import span_of, zone_of
from jackfield_telemetry.reports.queries import UsageFilter
from jackfield_telemetry.service import UsageService, close

T = TypeVar("T")
PLUGIN = "telemetry"
IN_PROJECT = "in_project"
"""The option that names a project; `project` is a directory that was worked in."""


def ask(cli: Cli, work: Callable[[UsageService], Awaitable[T]], config_dir: Path | None) -> T:
    """Let the parts of the plugin do something, and close the ledger."""

    async def run(context: PluginContext) -> T:
        try:
            return await work(context.port(UsageService))
        finally:
            await close(context)

    return cli.run(PLUGIN, run, config_dir=config_dir)


def asked_elsewhere(cli: Cli, config_dir: Path | None, options: Mapping[str, str]) -> dict[str, str]:
    """The options of a command as the query of a daemon elsewhere. Raises `JackfieldError`."""
    query = dict(options)
    if named := query.pop(IN_PROJECT):
        with ManagementClient(cli.config_dir(config_dir)) as daemon:
            query["project_id"] = identified(daemon.ask("GET", "/projects")["data"], named, "project")
    return query


async def profiles_within(service: UsageService, named: str) -> frozenset[str] | None:
    """For `UsageFilter.within`. named: a project's id or name; empty: all. Raises `NotFound`, `InvalidInput`,
    `StoreUnavailable`."""
    if not named:
        return None
    context = service.context
    access = context.port(ProjectAccess)
    if await access.project(named) is not None:
        return await seen_profiles(context, named)
    shared = await access.project(SHARED)
    known = [*([] if shared is None else [shared]), *await whole_store(context.store).projects()]
    rows: dict[str, dict[str, Json]] = {each.id: {"id": each.id, "name": each.name} for each in known}
    return await seen_profiles(context, identified(list(rows.values()), named, "project"))


async def filter_of(service: UsageService, period: str, narrowed: Mapping[str, str]) -> UsageFilter:
    """From the options of a command. Raises `InvalidInput`, and as `profiles_within`."""
    span = span_of(period, service.context.clock.now_ms(), zone_of(narrowed["tz"]))
    profile, model, agent, provider = (narrowed[name] for name in ("profile", "model", "agent", "provider"))
    return UsageFilter(span, profile, model, agent, provider, await profiles_within(service, narrowed[IN_PROJECT]))


def tell(warnings: Sequence[str], unpriced: Sequence[str] = ()) -> None:
    """On standard error: what is damaged, and what has no price."""
    for sentence in warnings:
        echo_warning(sentence)
    if unpriced:
        echo_warning(f"the price of {', '.join(unpriced)} is not known; it is in no cost.")
