"""Which headless runs of one profile overlap: what the tool's log says of that time is then not all one run's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from jackfield.api.agent_sessions import AgentSessions
from jackfield.api.context import PluginContext
from jackfield.api.records import state
from jackfield.api.terminals import Terminals


@state
class TrackedRun:
    """alone: no other run of the profile has been going on at any time of it."""

    alone: bool = True


class OverlappingRuns:
    """The runs of this daemon by profile, sessions among them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tracked: dict[str, list[TrackedRun]] = {}

    @contextlib.contextmanager
    def track(self, alias: str) -> Iterator[TrackedRun]:
        """For as long as the run goes on."""
        others = self._tracked.setdefault(alias, [])
        run = TrackedRun(alone=not others and not self._in_sessions(alias))
        for other in others:
            other.alone = False
        others.append(run)
        try:
            yield run
        finally:
            others.remove(run)
            if not others:
                del self._tracked[alias]

    def alone(self, alias: str, run: TrackedRun) -> bool:
        """Until now. A session that began and ended meanwhile is missed: its usage has its own line."""
        return run.alone and not self._in_sessions(alias)

    def _in_sessions(self, alias: str) -> bool:
        terminals, sessions = self._context.find_port(Terminals), self._context.find_port(AgentSessions)
        lives = [keeper.live for keeper in (terminals, sessions) if keeper is not None]
        return any(live(alias) for live in lives)
