"""Each host has a ledger of its own; what all of them hold is joined here."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield_telemetry.reports.joining import answers, report, statistics


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(name: str) -> bool:
        return False  # nothing of a ledger is named by a path

    joins = {"/api/usage": statistics, "/api/usage/answers": answers, "/api/usage/report": report}
    # A row that is beyond the limit at one host may be within it at all together.
    return [HostResources("usage", has, joins=joins, heeded={"/api/usage/report": ["limit"]})]
