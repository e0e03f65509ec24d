"""`$vars` and `$env` as expressions see them."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.projects import ProjectAccess, present_reach
from jackfield.api.records import record

_MOST = 200
"""Projects whose variables are remembered."""


@record
class _Read:
    """at: on the monotonic clock."""

    at: float
    values: Mapping[str, str]


class Variables:
    """The stored variables, remembered for a while: for each set of projects its own."""

    def __init__(self, context: PluginContext, ttl: float) -> None:
        self._context = context
        self._clock: Clock = context.clock
        self._ttl = ttl
        self._lock = asyncio.Lock()
        self._known: OrderedDict[tuple[str, ...], _Read] = OrderedDict()
        """By ids of projects; nothing stands for all of them."""

    async def read(self) -> Mapping[str, str]:
        """Of what the current reach may use. Raises `StoreUnavailable`."""
        projects = () if present_reach() is None else await self._projects()
        asked_at = self._clock.monotonic()
        if (found := self._fresh(projects, asked_at)) is not None:
            return found
        async with self._lock:
            if (found := self._fresh(projects, asked_at)) is not None:
                return found
            read_at = self._clock.monotonic()
            rows = await self._context.store.variables()
            values = {row.key: row.value for row in rows}
            self._known[projects] = _Read(read_at, values)
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
            return values

    async def _projects(self) -> tuple[str, ...]:
        access = self._context.find_port(ProjectAccess)
        rights = None if access is None else await access.rights()
        return () if rights is None else ("", *rights.within.projects)

    def _fresh(self, projects: tuple[str, ...], asked_at: float) -> Mapping[str, str] | None:
        """The values that were read, if they are young enough for the caller; values that were read after the caller
        asked are."""
        known = self._known.get(projects)
        return known.values if known is not None and asked_at - known.at < self._ttl else None


def allowed_environment(names: Sequence[str]) -> dict[str, str]:
    """The environment variables of these names that are set."""
    return {name: value for name in names if (value := os.environ.get(name)) is not None}
