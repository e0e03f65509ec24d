"""Writing the chain. Records that come while the store writes go with the next write, so that many at once cost
little."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from jackfield.api.audit import AuditedAct, chained
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.projects import whole_store
from jackfield.api.storage.audit import AuditHead, AuditRow
from jackfield_audit.settings import AuditSettings

KEY = "audit"
"""Name of the key that stamps records."""
_AT_ONCE = 200
"""Records of one write."""
_MINUTE_MS = 60_000
_TRIES = 50
"""How often another daemon may come first."""
_Waiting = tuple[AuditedAct, int, "asyncio.Future[None]"]


class Strangers:
    """Bounds what those leave in the log whom nobody knows: attempts of logins for names that no user has."""

    def __init__(self, most: int) -> None:
        """most: a minute."""
        self._most = most
        self._minute = 0
        self._count = 0
        self.withheld = 0
        """Acts that are not recorded."""

    def may(self, act: AuditedAct, at: int) -> bool:
        """at: Unix ms."""
        if act.actor.id or act.subject or act.actor.method != "login":
            return True
        if at // _MINUTE_MS != self._minute:
            self._minute, self._count = at // _MINUTE_MS, 0
        self._count += 1
        self.withheld += self._count > self._most
        return self._count <= self._most


class AuditChain:
    """`jackfield.api.audit.AuditLog`, one per process."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        settings = context.settings(AuditSettings)
        self._most = settings.queue
        self.strangers = Strangers(settings.strangers)
        self._head: AuditHead | None = None
        """Of the chain as far as this process knows; another may have gone on."""
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None
        self.recorded: Counter[str] = Counter()
        """By outcome."""
        self.lost = 0
        """Acts whose record the store did not take."""
        self.overtaken = 0
        """Writes that another daemon came before."""

    @property
    def head(self) -> AuditHead | None:
        """The last record that this process has written; None: it has written none."""
        return self._head

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def record(self, *given: AuditedAct) -> None:
        at = self._context.clock.now_ms()
        acts = [act for act in given if self.strangers.may(act, at)]
        if not acts:
            return
        if len(self._waiting) + len(acts) > self._most:
            self.lost += len(acts)
            raise StoreUnavailable("Too many records wait for the audit log; see audit.queue.")
        loop = asyncio.get_running_loop()
        mine = [loop.create_future() for _ in acts]
        self._waiting += [(act, at, future) for act, future in zip(acts, mine, strict=True)]
        if self._writing is None or self._writing.done():
            self._writing = loop.create_task(self._write(), name="audit")
        # A caller who leaves does not take the record along.
        await asyncio.shield(asyncio.gather(*mine))

    async def flush(self) -> None:
        """Until nothing waits."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            try:
                await self._append(batch)
            except StoreUnavailable as exc:
                self._head = None  # the write may have come through
                self.lost += len(batch)
                _end(batch, exc)
            except BaseException as exc:
                _end(batch, StoreUnavailable("The audit log could not be written."))
                if not isinstance(exc, Exception):
                    raise
                self._head = None
                self._context.log.exception("The audit log could not be written.")
            else:
                self.recorded.update(act.outcome for act, _, _ in batch)
                _end(batch, None)

    async def _append(self, batch: Sequence[_Waiting]) -> None:
        """Raises `StoreUnavailable`."""
        store = whole_store(self._context.store)
        head = self._head or await store.audit_head()
        key = self._context.secrets.key(KEY)
        for _ in range(_TRIES):
            rows: list[AuditRow] = []
            last = head
            for act, at, _future in batch:
                rows.append(chained(last, at, act, key))
                last = rows[-1].head
            head = await store.append_audit(head, rows)
            self._head = head
            if head == last:
                return
            self.overtaken += 1
        raise StoreUnavailable("Other daemons write the audit log all the time; try again.")


def audit_log(context: PluginContext) -> AuditChain:
    """The part as the port: there is one writer, which the anchor and the figures look at."""
    return context.port(AuditChain)


def _end(batch: Sequence[_Waiting], error: Exception | None) -> None:
    for _, _, future in batch:
        if future.done():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
            future.exception()  # whoever has left does not ask
