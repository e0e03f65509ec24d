"""Containers whose processes are counted, since no controller bounds them: those that have too many are killed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping

from jackfield.api.clock import Clock

from .container import Container
from .processes import family

log = logging.getLogger("jackfield.containers")

Spawn = Callable[[str, Coroutine[object, object, None]], object]
"""Starts a task that the daemon owns."""


class ProcessWatch:
    """One look at all processes for all containers together."""

    def __init__(self, clock: Clock, interval: float, spawn: Spawn) -> None:
        self._clock = clock
        self._interval = interval
        self._spawn = spawn
        self._most: dict[Container, int] = {}
        self._goes_on = False

    def add(self, container: Container, most: int) -> None:
        """most: processes that it may have. It is watched until its end begins."""
        self._most[container] = most
        if not self._goes_on:
            self._goes_on = True
            self._spawn("containers.watch", self._watch())

    async def _watch(self) -> None:
        try:
            while self._most:
                await self._clock.sleep(self._interval)
                self._most = {container: most for container, most in self._most.items() if not container.closed}
                for container, count in (await asyncio.to_thread(self._too_many)).items():
                    most = self._most.pop(container)
                    log.warning("%s had %d processes and was killed; its limit is %d.", container.name, count, most)
                    await container.kill(f"It had {count} processes; its limit is {most}.")
        finally:
            self._goes_on = False

    def _too_many(self) -> Mapping[Container, int]:
        """A control group is killed here and now: what multiplies leaves the daemon ever less time."""
        watched = dict(self._most)
        seen = family() if any(container.group is None for container in watched) else {}
        found = {}
        for container, most in watched.items():
            count = container.count(seen)
            if count > most:
                found[container] = count
                if container.group is not None:
                    container.group.kill()
        return found
