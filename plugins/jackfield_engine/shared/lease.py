"""This daemon's life among those that share the store: under which name its executions stand there, and until when it
may count on them."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from jackfield.api.clock import Clock
from jackfield.api.errors import ConfigurationError, Conflict, Fenced, JackfieldError, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import Claimed, Incarnation, OpenStatus, Store
from jackfield_engine.shared.known_lives import KnownLives

LEAVE_S = 2.0
"""So long the store has to hear of an orderly end; without it, others wait for the lease."""
_OWN_FENCE = 2 / 3
"""Of the lease: from then on this daemon begins nothing, so that nobody takes over what it still runs."""


_RETRY_S = 1.0
_GRACE_S = 2.0
"""Beyond a lease, until one that still has it is taken for a living daemon."""


class Life:
    """One incarnation. `id`: as the store knows it. `until`: seconds of the clock that goes on while the machine sleeps
    (`boottime`); from then on no node of its executions begins. `registered`: whether the store has said that it knows
    it."""

    __slots__ = ("id", "registered", "until")

    def __init__(self, until: float) -> None:
        self.id = new_id()
        self.until = until
        self.registered = False


def daemon_name(wanted: str, directory: Path, worker: int) -> str:
    """wanted: by the settings. Else the same for each start in this directory of this host. worker: its number; each
    counts as a daemon."""
    name = wanted or f"{socket.gethostname()}:{directory.resolve()}"
    return f"{name}#{worker}" if worker else name


class Lease:
    """The current life, which begins with its first use, and again when it is lost."""

    def __init__(
        self, store: Store, clock: Clock, log: logging.Logger, daemon: str, lease: float, known: KnownLives
    ) -> None:
        """daemon: its name. lease: seconds."""
        self.daemon = daemon
        self.shared = not store.exclusive
        self.suspect: Callable[[Life], None] = lambda _: None
        """Told that the store has refused a write of this life."""
        self.lost: Callable[[Life], None] = self.lose
        """Told that this life is over for the store."""
        self.doubt: Callable[[], None] = lambda: None
        """Told that the store may have done what it did not confirm, so that executions may be this daemon's of which
        it does not know."""
        self.claiming = asyncio.Lock()
        """Held while executions change hands in the store and here."""
        self.claimed: dict[str, tuple[Claimed, float]] = {}
        """Executions that were claimed and are not in memory yet, and when (monotonic)."""
        self._store = store
        self._clock = clock
        self._log = log
        self._seconds = lease
        self._life: Life | None = None
        self._registering: asyncio.Future[None]
        self._again: asyncio.Task[None] | None = None
        self._known = known
        self._earlier: Sequence[str] = ()
        """Lives of this daemon before the current one."""
        self._taken_since: float | None = None
        """When (monotonic) this daemon's name was first found with another life; None: it is not."""
        self._is_told = False

    async def begin(self) -> None:
        """Register, where the store is shared. Raises `ConfigurationError` when another daemon goes on renewing under
        this one's name."""
        if not self.shared:
            return
        self.life.until  # noqa: B018 - the first use begins it
        await asyncio.wait([self._registering])
        while self._taken_since is not None:
            if self._is_told:
                raise ConfigurationError(self._same_name())
            await self._clock.sleep(_RETRY_S)

    @property
    def present(self) -> Life | None:
        """None before the first use, and between two lives."""
        return self._life

    @property
    def life(self) -> Life:
        if self._life is None:
            self._life = self._begun()
        return self._life

    def _begun(self) -> Life:
        life = Life(self._horizon(self._clock.boottime()))
        if self.shared:
            self._earlier = self._known.begin(life.id)
        self._register(life)
        return life

    def _register(self, life: Life) -> None:
        incarnation = Incarnation(life.id, self.daemon, round(self._seconds * 1000), self._earlier)
        asked_at = self._clock.boottime()
        try:
            self._registering = self._store.register(incarnation)
        except StoreUnavailable as exc:
            self._registering = asyncio.get_running_loop().create_future()
            self._registering.set_exception(exc)
        self._registering.add_done_callback(lambda future: self._registered(life, asked_at, future))

    def _registered(self, life: Life, asked_at: float, future: asyncio.Future[None]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            life.registered = True
            self._taken_since, self._is_told = None, False
            self.renewed(life, asked_at)
        elif isinstance(error, StoreUnavailable | Conflict):
            if isinstance(error, Conflict):
                self._taken()
            else:
                self._log.warning("this daemon is not registered with the store yet: %s", error)
            self._again = asyncio.get_running_loop().create_task(self._register_again(life))
        else:
            self._log.error("this daemon cannot be registered with the store: %s", error)
            self.lost(life)

    def _taken(self) -> None:
        """Of a life that crashed, the lease runs out. Until then this daemon claims and begins nothing."""
        now = self._clock.monotonic()
        if self._taken_since is None:
            self._taken_since = now
            self._log.info("the lease of another life of this daemon ('%s') is waited for", self.daemon)
        elif now - self._taken_since > self._seconds + _GRACE_S and not self._is_told:
            self._is_told = True
            self._log.error("%s", self._same_name())

    def _same_name(self) -> str:
        return (
            f"Another daemon that shares the store has this one's name, '{self.daemon}', and renews its lease. Give "
            "each its own name with the setting executions.daemon, or leave it empty; nothing begins here."
        )

    async def _register_again(self, life: Life) -> None:
        """It may have been done: the same life is tried, as long as it is the current one."""
        await self._clock.sleep(_RETRY_S)
        if self._life is life:
            self._register(life)

    def _horizon(self, asked_at: float) -> float:
        return asked_at + self._seconds * _OWN_FENCE if self.shared else math.inf

    def renewed(self, life: Life, asked_at: float) -> None:
        """asked_at: on the clock of `Life.until`, before the store was asked. A lease that was lost meanwhile stays
        lost."""
        if life.until != -math.inf:
            life.until = self._horizon(asked_at)

    def lose(self, life: Life) -> None:
        """Nothing begins in it any more; the next use begins another one."""
        life.until = -math.inf
        if self._life is life:
            self._life = None
            self.claimed.clear()

    async def claim(
        self,
        statuses: Sequence[OpenStatus],
        limit: int,
        *,
        due: int | None = None,
        only: Sequence[str] | None = None,
    ) -> list[str]:
        """Ids of what is this daemon's from now on, kept in `claimed`. Raises `StoreUnavailable`."""
        async with self.claiming:
            life = self.life
            try:
                await asyncio.shield(self._registering)
                found = await self._store.claim_executions(life.id, statuses=statuses, limit=limit, due=due, only=only)
            except Fenced as exc:
                self.suspect(life)
                raise StoreUnavailable(exc.message) from None
            except Conflict as exc:
                raise StoreUnavailable(exc.message) from None
            except BaseException:
                self.doubt()
                raise
            if life is not self._life:
                return []  # others take it over
            now = self._clock.monotonic()
            self.claimed.update((one.id, (one, now)) for one in found)
            return [one.id for one in found]

    def kept(self, execution_id: str) -> Callable[[], bool]:
        """To be asked later: whether an execution that is this daemon's now is so still, in the same life and not given
        away since."""
        life, claimed = self._life, self.claimed.get(execution_id)
        return lambda: self._life is life and self.claimed.get(execution_id) is claimed

    async def own(self, execution_id: str, owner: str | None) -> bool:
        """Whether an open execution with this owner is this daemon's, by a claim if it is nobody's. Raises
        `StoreUnavailable`."""
        if owner == self.life.id:
            return True
        return bool(await self.claim(("queued", "running", "waiting"), 1, only=[execution_id]))

    async def release(self, execution_ids: Sequence[str]) -> None:
        """For anybody to claim. An execution that the store does not confirm is released later."""
        for execution_id in execution_ids:
            self.claimed.pop(execution_id, None)
        try:
            await self._store.release_executions(self.life.id, execution_ids)
        except JackfieldError as exc:
            self._log.info("%d executions are not handed over yet: %s", len(execution_ids), exc.message)
            self.doubt()

    async def leave(self) -> None:
        """Hand everything over."""
        if self._again is not None:
            self._again.cancel()
        if self._life is None:
            return
        try:
            async with asyncio.timeout(LEAVE_S):
                await self._store.leave(self._life.id)
        except JackfieldError as exc:
            self._log.warning("open executions are not handed over: %s", exc.message)
        except TimeoutError:
            self._log.warning("open executions are not handed over: the store did not answer within %g s", LEAVE_S)
