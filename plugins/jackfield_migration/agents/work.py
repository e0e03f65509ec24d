"""The work of `jackfield import` for tools of coding agents, when it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias, cast

from jackfield.api.cli import echo_json
from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_migration.agents.bringing import Bringing
from jackfield_migration.agents.wanted import Setup
from jackfield_migration.printing import print_report
from jackfield_migration.report import MigrationReport, report_view

Read: TypeAlias = Callable[[Path, "str | None", "str | None"], Setup]
READERS: Mapping[str, str] = {
    "ringlet": "jackfield_migration.agents.ringlet:read",
    "claude-code-router": "jackfield_migration.agents.claude_code_router:read",
    "cc-switch": "jackfield_migration.agents.cc_switch:read",
    "litellm": "jackfield_migration.agents.litellm:read",
}


async def brought(
    context: PluginContext, source: str, path: Path, alias: str | None, agent: str | None, dry_run: bool
) -> MigrationReport:
    """Raises `InvalidInput` for what cannot be read."""
    setup = cast("Read", load(READERS[source]))(path, alias, agent)
    keys = [one.key for one in setup.providers] + [one.key for one in setup.profiles]
    context.secrets.redact(*(key for key in keys if key))
    results = await Bringing(context, setup, dry_run=dry_run).all()
    return MigrationReport(results, {}, setup.unreadable, dry_run)


def told(report: MigrationReport, *, as_json: bool) -> bool:
    """Print the report. Whether everything is here now."""
    view = report_view(report)
    if as_json:
        echo_json(view)
    else:
        print_report(report)
    return bool(view["complete"])
