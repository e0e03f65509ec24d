"""Each host has its own ledger; what all of them hold is joined here. For a host that does not answer stands what
it has told the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources, StandIn
from jackfield.api.object_references import load
from jackfield_telemetry.reports.joining import answers, report, statistics

if TYPE_CHECKING:
    from jackfield_telemetry.sharing.standing_in import LedgerStandIns

REPORT = "/api/usage/report"
STATISTICS = "/api/usage"
STAND_INS = "jackfield_telemetry.sharing.standing_in:LedgerStandIns"


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(name: str) -> bool:
        return False  # nothing of a ledger is named by a path

    async def stand_in(path: str, query: Mapping[str, str], answered: Collection[str]) -> Sequence[StandIn]:
        made = cast("Callable[..., LedgerStandIns]", await asyncio.to_thread(load, STAND_INS))
        found = context.port(made)
        return await (found.report if path == REPORT else found.statistics)(query, answered)

    return [
        HostResources(
            "usage",
            has,
            joins={STATISTICS: statistics, "/api/usage/answers": answers, REPORT: report},
            # A row that is beyond the limit at one host may be within it at all together.
            heeded={REPORT: ["limit"]},
            stands_in=[STATISTICS, REPORT],
            stand_in=stand_in,
        )
    ]
