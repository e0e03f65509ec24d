"""Hosts, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import replace

from ...api.errors import Conflict
from ...api.storage.hosts import FORGET_AFTER_DAYS, HostEntry, StoredHost
from .ownership import MemoryOwnership

_FORGET_MS = FORGET_AFTER_DAYS * 24 * 3600 * 1000


class MemoryHosts(MemoryOwnership):
    """Part of `MemoryStore`."""

    async def renew_host(self, entry: HostEntry) -> bool:
        self._answer()
        known = self._aged(entry.name)
        if known is not None and known.entry.id != entry.id and known.alive:
            raise Conflict(f"Another daemon has the name {entry.name}.")
        draining = known is not None and known.draining
        now = self._now_ms()
        self._hosts = {name: kept for name, kept in self._hosts.items() if now - kept[1] < _FORGET_MS}
        self._hosts[entry.name] = (StoredHost(entry, draining, 0), now)
        return draining

    async def stored_hosts(self) -> Sequence[StoredHost]:
        self._answer()
        found = [host for name in sorted(self._hosts) if (host := self._aged(name)) is not None]
        return [host for host in found if host.age_ms < _FORGET_MS]

    async def drain_host(self, name: str, draining: bool) -> bool:
        self._answer()
        if name not in self._hosts:
            return False
        host, since = self._hosts[name]
        self._hosts[name] = (replace(host, draining=draining), since)
        return True

    async def leave_host(self, name: str, id: str) -> None:
        self._answer()
        host, since = self._hosts.get(name, (None, 0))
        if host is not None and host.entry.id == id:
            self._hosts[name] = (replace(host, left=True), since)

    def _aged(self, name: str) -> StoredHost | None:
        if name not in self._hosts:
            return None
        host, since = self._hosts[name]
        return replace(host, age_ms=self._now_ms() - since)

    def _now_ms(self) -> int:
        return 0 if self._clock is None else round(self._clock.monotonic() * 1000)
