"""A worker among the hosts.

It is no separate host. Beside it stands the first process of its daemon, which has the profiles, the terminals and the
proxies.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from jackfield.api.clock import Clock
from jackfield.api.context import Service
from jackfield.api.errors import JackfieldError
from jackfield.api.hosts import Host, Role
from jackfield.api.records import replace
from jackfield.api.storage import Store

from ..tables import HostsSettings
from .membership import Membership

_OF_WORKERS: Sequence[Role] = ("ingress", "flows")
_EVERY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not listened on


class WorkerMembership(Membership):
    """`Hosts`"""

    def __init__(
        self,
        store: Callable[[], Store],
        clock: Clock,
        service: Service,
        settings: HostsSettings,
        roles: Sequence[Role],
    ) -> None:
        super().__init__(store, clock, service, settings, roles)
        host = _EVERY.get(service.host, service.host)
        shown = f"[{host}]" if ":" in host else host
        self._first = replace(self._host, address=f"http://{shown}:{service.port}")
        mine = [role for role in _OF_WORKERS if role in roles]
        self._roles = frozenset(mine)
        self._host = replace(self._host, name=f"{self._host.name}.worker-{service.worker}", roles=mine)

    @property
    def others(self) -> Sequence[Host]:
        """With the slots and the draining that the first process tells of; before it has registered, as it is going to
        be.
        """
        first = self._first
        found = [replace(host, address=first.address) if host.name == first.name else host for host in self._others]
        return found if any(host.name == first.name for host in found) else [*found, first]

    async def run(self) -> None:
        """The first process registers. Other hosts are looked for."""
        if (store := self._store) is None:
            return
        while True:
            with contextlib.suppress(JackfieldError):  # the first process tells
                await self._look(store)
            await self._clock.sleep(self._settings.renewal_interval)

    async def leave(self) -> None:
        """As above."""
