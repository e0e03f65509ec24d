"""Which key has made which object that a provider keeps: on the disk, and in memory until it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.gateway import StoredObject
from jackfield_gateway.kept import objects
from jackfield_gateway.kept.objects import HeldObject
from jackfield_gateway.keyring import VirtualKeyRing
from jackfield_gateway.settings import GatewaySettings

OWN = "@"
"""Before the alias of a profile whose own client has made an object; no id of a key begins so."""
LONGEST_ID = 512
"""Characters; a longer one is nobody's."""


class ObjectBook:
    """Of all keys and profiles."""

    def __init__(self, context: PluginContext, ring: VirtualKeyRing) -> None:
        self._context = context
        self._settings = context.settings(GatewaySettings)
        self._ring = ring
        self._fresh: dict[tuple[str, str], HeldObject] = {}
        """Not on the disk yet, by id and account."""

    async def usable(self, key: str, ids: Sequence[str]) -> Sequence[StoredObject]:
        """See `KeyGate.objects`. Raises `StoreUnavailable`, `ConfigurationError`."""
        await self._ring.open()
        wanted = list(dict.fromkeys(one for one in ids if len(one) <= LONGEST_ID))
        named = frozenset(wanted)
        fresh = [one for one in self._fresh.values() if one.object.id in named]
        kept = await asyncio.to_thread(self._ring.database.read, partial(objects.find, ids=wanted))
        found = {(one.object.id, one.object.account): one for one in (*fresh, *kept)}  # what is on the disk came first
        return [one.object for one in found.values() if not key or self._may_use(key, one.holder)]

    async def keep(self, key: str, made: Sequence[StoredObject]) -> None:
        """See `KeyGate.keep`. Raises as `usable`."""
        await self._ring.open()
        held = [HeldObject(key or OWN + one.profile, one) for one in made if one.id and len(one.id) <= LONGEST_ID]
        for one in held:
            self._fresh.setdefault((one.object.id, one.object.account), one)
        most, of_all = self._settings.objects_per_key, self._settings.max_objects
        work = partial(objects.put, held=held, of_holder=most, of_all=of_all)
        self._ring.writer.put(work).add_done_callback(partial(self._written, held))

    def _may_use(self, key: str, holder: str) -> bool:
        if key == holder:
            return True
        own, other = self._ring.by_id(key), self._ring.by_id(holder)
        return own is not None and other is not None and own.key.owner != "" and own.key.owner == other.key.owner

    def _written(self, held: Sequence[HeldObject], done: asyncio.Future[None]) -> None:
        for one in held:
            if self._fresh.get((one.object.id, one.object.account)) is one:
                del self._fresh[one.object.id, one.object.account]
        if not done.cancelled() and (error := done.exception()) is not None:
            self._context.log.error("The makers of %d stored objects were not kept: %s", len(held), error)
