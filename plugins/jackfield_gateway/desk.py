"""The desk that answers proxies: the port `jackfield.api.gateway.KeyGate`."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.dialects.model import DialectError
from jackfield.api.errors import JackfieldError
from jackfield.api.gateway import CallerPass, EndedRequest, PlannedRequest, StoredObject
from jackfield.api.records import replace
from jackfield.api.telemetry import Tokens, Usage, UsageEntry
from jackfield_gateway.kept import tables
from jackfield_gateway.kept.tables import KeyUsageRow
from jackfield_gateway.keyring import VirtualKeyRing
from jackfield_gateway.limits.account import Hold, KeyAccount
from jackfield_gateway.limits.periods import day_of
from jackfield_gateway.object_book import ObjectBook
from jackfield_gateway.settings import GatewaySettings


class KeyDesk:
    """Decides in memory; a reservation of a budget waits until it is written."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._ring = context.port(VirtualKeyRing)
        self._most_names = context.settings(GatewaySettings).models_per_day
        self._book = ObjectBook(context, self._ring)

    async def admit(self, digest: str) -> CallerPass:
        await self._ring.open()
        return self._valid(self._ring.by_digest(digest)).key.caller

    async def reserve(self, planned: PlannedRequest) -> None:
        await self._ring.open()
        account = self._valid(self._ring.by_id(planned.key))
        clock = self._context.clock
        if not planned.spends:
            account.reserve_free(planned.request, clock.monotonic())
            return
        tokens = Tokens(planned.input, planned.output)
        usd = await self._price(planned, tokens)
        now_ms = clock.now_ms()
        account.reserve(planned.request, Hold(tokens.total, usd, clock.monotonic()), now_ms)
        if account.key.budgets:  # limits of a minute need not outlive the process
            await self._keep(account, planned, (now_ms, tokens.total, usd))

    def settle(self, ended: EndedRequest) -> None:
        account = self._ring.by_id(ended.key)
        hold = account.release(ended.request) if account is not None else None
        row = usage_of(ended, hold)
        if account is not None:
            row = replace(row, model=account.counted_as(row.model, row.day, self._most_names))
            account.last_used_ms = ended.ended_ms
            account.count(row.usd, row.tokens, hold, ended.ended_ms)
        self._ring.writer.put(partial(_settled, request=ended.request, row=row)).add_done_callback(self._look_at)

    async def objects(self, key: str, ids: Sequence[str]) -> Sequence[StoredObject]:
        return await self._book.usable(key, ids)

    async def keep(self, key: str, made: Sequence[StoredObject]) -> None:
        await self._book.keep(key, made)

    def _valid(self, account: KeyAccount | None) -> KeyAccount:
        """Raises `DialectError` 401."""
        if account is None:
            raise _invalid("This key is not known.")
        if account.key.revoked_at is not None:
            raise _invalid("This key was revoked.")
        if account.key.has_expired(self._context.clock.now_ms()):
            raise _invalid("This key has expired.")
        return account

    async def _keep(self, account: KeyAccount, planned: PlannedRequest, held: tuple[int, int, float]) -> None:
        """Raises `DialectError` 503."""
        put = self._ring.writer.put
        try:
            await put(partial(tables.reserve, planned=planned, held=held, day=day_of(held[0])))
        except JackfieldError as exc:
            account.withdraw(planned.request)
            self._context.log.error("A reservation of the key %s was not stored: %s", account.key.id, exc.message)
            raise DialectError(503, "The budget of this key cannot be kept now.", "overloaded_error") from None
        except asyncio.CancelledError:  # nothing was sent
            account.withdraw(planned.request)
            put(partial(tables.forget, request=planned.request))
            raise

    async def _price(self, planned: PlannedRequest, tokens: Tokens) -> float:
        """US dollars, of the dearest target; 0 where no price is known."""
        dearest = 0.0
        for target in planned.targets:
            entry = UsageEntry("", "", "", 0, target.model, tokens, provider=target.provider)
            found = await self._context.port(Usage).cost_of(entry)
            dearest = max(dearest, 0.0 if found is None else found.total)
        return dearest

    def _look_at(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            self._context.log.error("The usage of a virtual key was not stored: %s", error)


def usage_of(ended: EndedRequest, hold: Hold | None) -> KeyUsageRow:
    """hold: what was reserved for it, which counts where the answer has not said all."""
    tokens = ended.tokens or Tokens()
    held = hold if hold is not None and not ended.whole else Hold(0, 0.0, 0.0)
    return KeyUsageRow(
        ended.key,
        day_of(ended.ended_ms),
        ended.profile,
        ended.provider,
        ended.model,
        failures=int(ended.status >= 400),
        cached=int(ended.cached),
        estimated=int(not ended.whole),
        unpriced=int(ended.cost is None and tokens.total > 0),
        input=tokens.input,
        output=tokens.output,
        cache_read=tokens.cache_read,
        cache_write=tokens.cache_creation,
        reserved=max(0, round(held.tokens) - tokens.total),
        usd=max(ended.cost or 0.0, held.usd),
        last=ended.ended_ms,
    )


def _settled(connection: sqlite3.Connection, request: str, row: KeyUsageRow) -> None:
    tables.forget(connection, request)
    tables.add(connection, row)


def _invalid(message: str) -> DialectError:
    return DialectError(401, message, "authentication_error", code="invalid_api_key")
