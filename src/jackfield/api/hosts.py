"""Hosts: the daemons that share a store, each with what only it has: profiles, terminals, proxies, a ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from typing import Protocol, TypeAlias

from .asgi import Receive, Scope, Send
from .auth import Principal
from .errors import JackfieldError
from .json_values import Json
from .records import record
from .roles import ROLES as ROLES
from .roles import Role as Role

Join: TypeAlias = Callable[[Sequence[Json], Mapping[str, str]], Json]


class RoleMissing(JackfieldError):
    """This daemon does not do that; the setting daemon.roles says what it does."""

    status = 503
    code = "ROLE_MISSING"
    title = "Service unavailable"


class HostUnavailable(JackfieldError):
    """The host that has this does not answer."""

    status = 503
    code = "HOST_UNAVAILABLE"
    title = "Service unavailable"


@record
class Slots:
    """How much of a kind of work a host has at a time, and how much it takes at a time."""

    used: int
    total: int

    @property
    def free(self) -> int:
        return max(self.total - self.used, 0)


@record
class Host:
    """One daemon.

    `name`: unique among those that share a store. `address`: scheme, host and port, where the others reach it.
    `labels`: as its settings have them, such as `gpu` or `zone=eu`. `slots`: by role, for those that count any.
    `draining`: it takes no new work. `alive`: it has renewed within its lease. `renewed_ms`: so long ago, in ms. `id`:
    of its configuration directory, which stays when the name changes. Empty until a first daemon has registered there.
    """

    name: str
    address: str
    roles: Sequence[Role]
    labels: Sequence[str] = ()
    slots: Mapping[str, Slots] = field(default_factory=dict)
    version: str = ""
    draining: bool = False
    alive: bool = True
    renewed_ms: int = 0
    id: str = ""

    def takes(self, role: Role) -> bool:
        """Whether new work of this role may come to it."""
        return self.alive and not self.draining and role in self.roles

    def has_labels(self, wanted: Sequence[str]) -> bool:
        return set(wanted) <= set(self.labels)


class Hosts(Protocol):
    """The daemons of a store as this one knows them, as a port. Its answers come from memory."""

    @property
    def here(self) -> Host:
        """This daemon."""

    @property
    def others(self) -> Sequence[Host]:
        """Those that live beside it, by name. None where the store belongs to one daemon."""

    @property
    def known(self) -> int:
        """How many there are with this one, and with those that are gone and still remembered."""

    def has(self, role: Role) -> bool:
        """Whether this daemon has the role."""

    def takes(self, role: Role) -> bool:
        """The same, and it is not being drained."""

    def count(self, role: Role, slots: Callable[[], Slots]) -> None:
        """From now on the others learn of these slots. `slots`: quick, asked once per renewal."""


@record
class StandIn:
    """The last knowledge of a host that did not answer.

    `id`: as `Host.id`. `as_of`: Unix ms. `data`: as its answer would have it; None: it had nothing of what is asked
    for. `trouble`: why there is no data, a clause. `inside`: not for a caller who comes by one of
    `server.public_hosts`, because the host serves none.
    """

    host: str
    id: str
    as_of: int
    data: Json
    trouble: str = ""
    inside: bool = False


StandFor: TypeAlias = Callable[[str, Mapping[str, str], Collection[str]], Awaitable[Sequence[StandIn]]]
Place: TypeAlias = Callable[[str, Mapping[str, str], str], AbstractAsyncContextManager[Host]]


@record
class HostResources:
    """Things of one kind that stay with the host that has them. Of a path that names one, this daemon looks whether it
    has the thing. If not, the request goes to the host that has it.

    `kind`: a word, the same for all that name the same things, such as `profile`. `has`: whether this daemon has the
    one of this name. `paths`: the next segment behind them is a name. `words`: segments there that are no names.
    `lists`: paths whose GET gives rows as the `data` of the envelope, to which those of all hosts are joined. `starts`:
    path -> field of its JSON body that is a name, for a POST that begins something where that thing is. `joins`: path
    -> how the `data` of all hosts' answers to a GET become one, where they are no rows. It gets this host's first, and
    the query's parameters, in a thread. `heeded`: path -> parameters of the query that its join alone heeds, as no host
    knows what the others have. `stands_in`: paths of `joins` for which `stand_in` knows something of hosts that do not
    answer, or are gone. It gets the path, the query's parameters without the heeded ones, and the ids of the hosts that
    have answered. It gives nothing of those hosts, and may raise `JackfieldError`. `places`: segment behind the name,
    of a POST that is work for one of the hosts that have the thing. The value says which host takes it, for as long as
    the work lasts. It gets the name, the query's parameters, and the text `key` of the JSON body. The key is the same
    for the same work (empty: there is none). It raises when there is no host. A request that names a host goes there.
    `everywhere`: paths whose POST each host does for what it has, once the one that is asked has done it. `makes`: path
    -> field of its JSON body that names the thing that a POST there makes. The POST fails where another host has that
    name, unless the request names the host.
    """

    kind: str
    has: Callable[[str], Awaitable[bool]]
    paths: Sequence[str] = ()
    words: Collection[str] = ()
    lists: Sequence[str] = ()
    starts: Mapping[str, str] = field(default_factory=dict)
    joins: Mapping[str, Join] = field(default_factory=dict)
    heeded: Mapping[str, Collection[str]] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    everywhere: Sequence[str] = ()
    stands_in: Collection[str] = ()
    stand_in: StandFor | None = None
    makes: Mapping[str, str] = field(default_factory=dict)


@record
class HostReply:
    """A whole answer of another host. data: its JSON; None when it is none."""

    status: int
    data: Json


class HostCalls(Protocol):
    """Asks other hosts in the name of a caller, as a port."""

    async def find(self, kind: str, name: str) -> Sequence[Host]:
        """Those of the others that have this thing. Each has `hosts.answer_timeout` to say so. Raises `HostUnavailable`
        when none has it and some did not answer."""

    async def call(self, host: Host, method: str, path: str, caller: Principal, *, body: Json = None) -> HostReply:
        """path: with its query. Takes as long as the host takes, and ends with `HostUnavailable` as soon as it is gone:
        with its connection, or its lease."""

    def stream(self, host: Host, path: str, scope: Scope) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The body of its answer to a GET, as it comes, in the name of who sent this request. path: with its query.
        Entering it and each part raise `HostUnavailable`, also for an answer that is no 200."""

    async def hand_over(self, host: Host, scope: Scope, receive: Receive, send: Send) -> None:
        """That host answers this request or WebSocket, in the name of who sent it; its path and query are those of the
        scope. Raises `HostUnavailable` as long as nothing was sent."""


class HostsAdministration(Protocol):
    """The port of those who look after hosts."""

    async def all(self) -> Sequence[Host]:
        """By name, those too that have not renewed for long. Raises `StoreUnavailable`."""

    async def drain(self, name: str, *, draining: bool) -> None:
        """Let it take no new work and hand over what has not begun, or take some again. It hears of it with its next
        renewal, and stays so over restarts. Raises `NotFound`, `Conflict` where the store belongs to one daemon,
        `StoreUnavailable`."""


class OnlyHost:
    """`Hosts` of a daemon that is alone."""

    def __init__(self, here: Host) -> None:
        self._here = here

    @property
    def here(self) -> Host:
        return self._here

    @property
    def others(self) -> Sequence[Host]:
        return ()

    @property
    def known(self) -> int:
        return 1 + len(self.others)

    def has(self, role: Role) -> bool:
        return role in self._here.roles

    def takes(self, role: Role) -> bool:
        return self.has(role) and not self._here.draining

    def count(self, role: Role, slots: Callable[[], Slots]) -> None:
        """There is nobody to tell."""
