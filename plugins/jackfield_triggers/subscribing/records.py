"""The records of subscriptions, sealed, in facts of the store. They outlive workflows, because a service has to be
asked to end a subscription that it was asked to begin.

One fact holds many records, so that neither their number nor the length of a fact is a limit in practice. The fact
`subscriptions` lists which there are.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Literal

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.records import as_dict, record
from jackfield.api.resealing import Resealed
from jackfield.api.workflows import Node
from jackfield_triggers.kinds import SUBSCRIPTIONS

Phase = Literal["beginning", "live", "ending"]
Change = Callable[[dict[str, str]], None]
_TRIES = 50
_NODE = ("id", "name", "type", "kind", "version", "parameters", "credentials", "webhook_id")


@record
class SubscriptionRecord:
    """`id`: of the registration, or a new one for a test event. `node`: as it subscribed, without expressions.
    `expires`: Unix ms; None: never. `since`: Unix ms of its beginning, or its last renewal. `ending_since`: Unix ms
    since which it is to end; None: it is not. `phase`: `beginning` until the service's answer is stored.
    """

    id: str
    workflow_id: str
    node: Node
    timezone: str
    url: str
    secret: str
    fingerprint: str
    phase: Phase = "beginning"
    state: Mapping[str, Json] = {}
    expires: int | None = None
    since: int = 0
    ending_since: int | None = None


class SubscriptionRecords:
    """Part of the plugin. Every verb raises `StoreUnavailable`."""

    name = "subscriptions"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def get(self, ident: str) -> SubscriptionRecord | None:
        """None: there is none, or no key opens it."""
        text = _rows(await self._context.store.fact(_shard(ident))).get(ident)
        return None if text is None else self._opened(ident, text)

    async def ids(self) -> list[str]:
        """Of all records."""
        found: list[str] = []
        for shard in _list(await self._context.store.fact(SUBSCRIPTIONS)):
            found += _rows(await self._context.store.fact(shard))
        return found

    async def put(self, kept: SubscriptionRecord) -> None:
        await self._listed(_shard(kept.id))
        text = self._sealed(kept)
        await self._changed(_shard(kept.id), lambda rows: rows.__setitem__(kept.id, text))

    async def drop(self, ident: str) -> None:
        def dropped(rows: dict[str, str]) -> None:
            rows.pop(ident, None)

        await self._changed(_shard(ident), dropped)

    async def reseal(self) -> Resealed:
        """See `SealedValues`."""
        done, lost = 0, []
        for ident in await self.ids():
            text = _rows(await self._context.store.fact(_shard(ident))).get(ident)
            if text is None or self._context.secrets.is_current(base64.b64decode(text)):
                continue
            found = self._opened(ident, text)
            if found is None:
                lost.append(f"The subscription {ident} is sealed with a key that is not there.")
                continue
            fresh = self._sealed(found)

            def replaced(rows: dict[str, str], ident: str = ident, text: str = text, fresh: str = fresh) -> None:
                if rows.get(ident) == text:
                    rows[ident] = fresh

            await self._changed(_shard(ident), replaced)
            done += 1
        return Resealed(done, tuple(lost))

    # -- facts

    async def _listed(self, shard: str) -> None:
        for _ in range(_TRIES):
            before = await self._context.store.fact(SUBSCRIPTIONS)
            listed = _list(before)
            if shard in listed:
                return
            text = orjson.dumps(sorted([*listed, shard])).decode()
            if await self._context.store.change_fact(SUBSCRIPTIONS, before, text):
                return
        raise StoreUnavailable("Other daemons change the subscriptions all the time; try again.")

    async def _changed(self, shard: str, change: Change) -> None:
        for _ in range(_TRIES):
            before = await self._context.store.fact(shard)
            rows = _rows(before)
            change(rows)
            text = orjson.dumps(rows, option=orjson.OPT_SORT_KEYS).decode()
            if text == (before or "{}") or await self._context.store.change_fact(shard, before, text):
                return
        raise StoreUnavailable("Other daemons change the subscriptions all the time; try again.")

    def _sealed(self, kept: SubscriptionRecord) -> str:
        fields = {**as_dict(kept), "node": {name: getattr(kept.node, name) for name in _NODE}}
        return base64.b64encode(self._context.secrets.seal(orjson.dumps(fields))).decode()

    def _opened(self, ident: str, text: str) -> SubscriptionRecord | None:
        try:
            found = orjson.loads(self._context.secrets.open(base64.b64decode(text)))
        except ValueError:
            self._context.log.error("A subscription cannot be opened.", extra={"subscriptionId": ident})
            return None
        return SubscriptionRecord(**{**found, "node": Node(**found["node"])})


def _shard(ident: str) -> str:
    return f"{SUBSCRIPTIONS}-{hashlib.sha256(ident.encode()).hexdigest()[:2]}"


def _rows(text: str | None) -> dict[str, str]:
    found = orjson.loads(text) if text else {}
    return found if isinstance(found, dict) else {}


def _list(text: str | None) -> list[str]:
    found = orjson.loads(text) if text else []
    return found if isinstance(found, list) else []
