"""Registers this daemon in the store that it shares, and knows the others from there.

A store that one daemon has for itself is not asked: then this daemon is the only host, and nothing runs for that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from jackfield.api.clock import Clock
from jackfield.api.context import Service
from jackfield.api.errors import ConfigurationError, Conflict, JackfieldError, NotFound
from jackfield.api.files import read_private, write_private
from jackfield.api.hosts import Host, Role, Slots
from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield.api.storage import Store
from jackfield.api.storage.hosts import HostEntry, HostStore

from ..tables import HostsSettings
from .words import about, default_address, default_name, host_of

log = logging.getLogger("jackfield.hosts")
_FILE = "host-id"
_LEAVE_S = 2.0
"""Seconds that the store has to hear of an orderly end."""
_LOOK_AGAIN_S = 0.25
"""Seconds between two looks for hosts that have just come."""


class Membership:
    """`Hosts` and `HostsAdministration`."""

    def __init__(
        self,
        store: Callable[[], Store],
        clock: Clock,
        service: Service,
        settings: HostsSettings,
        roles: Sequence[Role],
    ) -> None:
        """store: asked once the kernel is assembled."""
        self._store_of = store
        self._clock = clock
        self._settings = settings
        self._directory = service.config_dir
        self._roles = frozenset(roles)
        self._slots: dict[Role, Callable[[], Slots]] = {}
        self._host = Host(
            settings.name or default_name(service.config_dir),
            settings.address or default_address(service),
            [role for role in roles if role in self._roles],
            tuple(settings.labels),
            version=service.version,
        )
        self._draining = False
        self._others: Sequence[Host] = ()
        self._known = 1
        self._id = _known_id(service.config_dir / _FILE)
        self._remembers = True
        self._look_after = 0.0
        self._told: set[str] = set()
        """Kinds of failures of renewals, since the last one that came to its end."""

    # -- the port

    @property
    def here(self) -> Host:
        slots = {role: count() for role, count in self._slots.items()}
        return replace(self._host, slots=slots, draining=self._draining, id=self._id)

    @property
    def others(self) -> Sequence[Host]:
        return self._others

    @property
    def known(self) -> int:
        return self._known

    @property
    def remembers_others(self) -> bool:
        """Whether the store may know something of hosts that are gone.

        The store of one daemon knows something only where it is a copy of one that was shared.
        """
        return self._remembers

    def has(self, role: Role) -> bool:
        return role in self._roles

    def takes(self, role: Role) -> bool:
        return not self._draining and role in self._roles

    def count(self, role: Role, slots: Callable[[], Slots]) -> None:
        self._slots[role] = slots

    @property
    def answer_timeout(self) -> float:
        """Seconds that another host has for a short answer."""
        return self._settings.answer_timeout

    @property
    def _store(self) -> HostStore | None:
        """None: this daemon is alone."""
        found = self._store_of()
        return None if found.exclusive or not isinstance(found, HostStore) else found

    async def all(self) -> Sequence[Host]:
        if (store := self._store) is None:
            return [self.here]
        others = await self._look(store)
        return sorted([self.here, *others], key=lambda host: host.name)

    @property
    def shares(self) -> bool:
        """Whether others may have joined the store since this daemon has looked."""
        return self._store is not None

    async def look_again(self) -> None:
        """For what no host that is known has: one may have come or restarted a moment ago. The store is asked at most
        once each `_LOOK_AGAIN_S`; where it does not answer, what is known stays."""
        now = self._clock.monotonic()
        if (store := self._store) is None or now < self._look_after:
            return
        self._look_after = now + _LOOK_AGAIN_S
        try:
            await self._look(store)
        except JackfieldError as exc:
            log.info("The store does not tell of hosts that have just come: %s", exc.message)

    async def drain(self, name: str, *, draining: bool) -> None:
        if (store := self._store) is None:
            raise Conflict("This daemon has its store for itself: nobody could take over from it.", code="ONLY_HOST")
        if not await store.drain_host(name, draining):
            raise NotFound(f"There is no host {name[:100]}.", code="HOST_NOT_FOUND")
        if name == self._host.name:
            self._draining = draining

    # -- life

    def check(self) -> None:
        """Raises `ConfigurationError` for a daemon that would leave its executions to nobody."""
        if self._store is None and not self.has("flows"):
            raise ConfigurationError(
                "daemon.roles lacks flows, and this store belongs to one daemon: nobody would run executions. "
                "Add flows, or choose a store that daemons share (store.name)."
            )

    async def run(self) -> None:
        """Renew as long as the daemon lives."""
        if (store := self._store) is None:
            await self._look_for_copied()
            return
        interval = min(self._settings.renewal_interval, self._settings.lease / 4)
        while True:
            try:
                await self._renew(store)
            except Exception as exc:  # whatever it is: whoever renews no more is gone for the others
                self._tell(exc)
            else:
                self._told.clear()
            await self._clock.sleep(interval)

    async def _look_for_copied(self) -> None:
        """Once: nobody else writes there."""
        try:
            self._remembers = any(ledger.id != self._id for ledger in await self._store_of().ledgers())
        except JackfieldError as exc:
            log.info("The store does not tell whether it knows of other hosts: %s", exc.message)

    def _tell(self, failure: Exception) -> None:
        """Of each kind one until the next renewal."""
        kind = failure.code if isinstance(failure, JackfieldError) else type(failure).__name__
        if kind in self._told:
            return
        self._told.add(kind)
        if isinstance(failure, JackfieldError):
            log.warning("This host (%s) is not registered now: %s", self._host.name, failure.message)
        else:
            log.error("This host (%s) is not registered now.", self._host.name, exc_info=failure)

    async def leave(self) -> None:
        """An orderly end; without it the others wait for the lease."""
        if self._id and (store := self._store) is not None:
            try:
                async with asyncio.timeout(_LEAVE_S):
                    await store.leave_host(self._host.name, self._id)
            except (JackfieldError, TimeoutError) as exc:
                log.info("The store does not hear that this host ends: %s", exc)

    async def _renew(self, store: HostStore) -> None:
        self._id = self._id or await asyncio.to_thread(_made_id, self._directory / _FILE)
        entry = HostEntry(self._host.name, self._id, round(self._settings.lease * 1000), about(self.here))
        draining = await store.renew_host(entry)
        if draining != self._draining:
            log.info("This host takes no new work: it is being drained." if draining else "This host takes work again.")
        self._draining = draining
        await self._look(store)

    async def _look(self, store: HostStore) -> Sequence[Host]:
        """All others, dead or alive."""
        found = [host_of(stored) for stored in await store.stored_hosts()]
        others = [host for host in found if host.name != self._host.name]
        self._others = [host for host in others if host.alive]
        self._known = 1 + len(others)
        return others


def _known_id(path: Path) -> str:
    """Of the configuration directory; empty until it has one, or where it cannot be read: registering says so then."""
    try:
        return (read_private(path) or b"").decode("ascii", "replace").strip()
    except ConfigurationError:
        return ""


def _made_id(path: Path) -> str:
    """Made once. Raises `ConfigurationError`."""
    known = (read_private(path) or b"").decode("ascii", "replace").strip()
    if not known:
        known = new_id()
        write_private(path, known.encode())
    return known
