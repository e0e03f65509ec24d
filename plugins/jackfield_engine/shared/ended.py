"""Ends of executions that somebody waits for at another daemon than the one that runs them. Only what makes it quick:
whoever waits also looks into the store."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator

from jackfield.api.bus import Bus, BusMessage
from jackfield.api.context import PluginContext

AWAITED, ENDED = "execution.awaited", "execution.ended"
"""Topics. Payload: the execution's `id`."""
_REMEMBERED = 10_000
"""Executions of which it is known that others wait for them; the one that is asked for longest ago is forgotten."""
_RECENT = 1_000
"""Executions that ended here last, of which it is still known."""


class EndedElsewhere:
    """Tells others of ends that they wait for, and hears of those that are waited for here."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._awaited: OrderedDict[str, None] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()
        """Those that ended here last: one that takes no time may be over before it is known that somebody waits."""
        self._wakers: dict[str, set[Callable[[], object]]] = {}

    @property
    def _bus(self) -> Bus:
        return self._context.port(Bus)

    async def listen(self) -> None:
        """Until cancelled."""
        with self._bus.subscribe(AWAITED) as awaited, self._bus.subscribe(ENDED) as ended:
            await asyncio.gather(self._note(aiter(awaited)), self._wake(aiter(ended)))

    async def _note(self, messages: AsyncIterator[BusMessage]) -> None:
        async for message in messages:
            ident = str(message.payload.get("id"))
            if ident in self._ended:
                self._bus.publish(ENDED, {"id": ident})
            else:
                _remember(self._awaited, ident, _REMEMBERED)

    async def _wake(self, messages: AsyncIterator[BusMessage]) -> None:
        async for message in messages:
            for waker in tuple(self._wakers.get(str(message.payload.get("id")), ())):
                waker()

    def over(self, execution_id: str) -> None:
        """Its end is stored."""
        _remember(self._ended, execution_id, _RECENT)
        if self._awaited and execution_id in self._awaited:
            del self._awaited[execution_id]
            self._bus.publish(ENDED, {"id": execution_id})

    @contextlib.contextmanager
    def heard(self, execution_id: str, waker: Callable[[], object]) -> Iterator[None]:
        """Call `waker` when somebody tells that it has ended, until the context ends."""
        wakers = self._wakers.setdefault(execution_id, set())
        wakers.add(waker)
        self._bus.publish(AWAITED, {"id": execution_id})
        try:
            yield
        finally:
            wakers.discard(waker)
            if not wakers and self._wakers.get(execution_id) is wakers:
                del self._wakers[execution_id]


def _remember(kept: OrderedDict[str, None], ident: str, most: int) -> None:
    kept[ident] = None
    kept.move_to_end(ident)
    if len(kept) > most:
        kept.popitem(last=False)
