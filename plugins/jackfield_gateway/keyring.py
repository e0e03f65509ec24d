"""Every key of this daemon, with what it has used: in memory, and behind that on the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.placed_things import PlacedThings
from jackfield.api.projects import Right
from jackfield.api.records import replace
from jackfield_gateway.kept import tables
from jackfield_gateway.kept.database import GatewayDatabase
from jackfield_gateway.kept.tables import KeyUsageRow
from jackfield_gateway.kept.writer import KeyWriter, Work
from jackfield_gateway.keys.virtual_key import VirtualKey, secret, with_secret
from jackfield_gateway.limits.account import KeyAccount
from jackfield_gateway.limits.periods import day_of, days_before
from jackfield_gateway.settings import GatewaySettings

FILE = ("gateway", "keys.db")
"""In the configuration directory."""
DAY_MS = 86_400_000


class VirtualKeyRing:
    """The database is read with the first question, and written to from then on."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(GatewaySettings)
        self.database = GatewayDatabase(context.service.config_dir.joinpath(*FILE))
        self.writer = KeyWriter(self.database, context.spawn)
        self._accounts: dict[str, KeyAccount] = {}
        self._by_digest: dict[str, KeyAccount] = {}
        self._opening = asyncio.Lock()
        self._changing = asyncio.Lock()
        self._is_open = False
        self._things = PlacedThings(context, "virtual-key")
        self._profiles = PlacedThings(context, "profile")

    async def open(self) -> None:
        """Once. Raises `StoreUnavailable`, `ConfigurationError`."""
        if self._is_open:
            return
        async with self._opening:
            if not self._is_open:
                await self._read()
                self._is_open = True

    def by_id(self, key_id: str) -> KeyAccount | None:
        """Of a ring that is open."""
        return self._accounts.get(key_id)

    def by_digest(self, digest: str) -> KeyAccount | None:
        """Of a ring that is open."""
        return self._by_digest.get(digest)

    def accounts(self) -> Sequence[KeyAccount]:
        """Those that are read, in the order in which they were made, revoked ones too; whoever asks."""
        return list(self._accounts.values())

    async def has(self, key_id: str) -> bool:
        await self.open()
        return key_id in self._accounts

    async def seen(self) -> Sequence[KeyAccount]:
        """The same, of the current reach."""
        await self.open()
        every = self.accounts()
        ids = await self._things.seen([account.key.id for account in every])
        return [account for account in every if account.key.id in ids]

    async def find(self, key_id: str, right: Right = "read") -> KeyAccount:
        """Raises `NotFound`, `AccessDenied`."""
        await self.open()
        found = self._accounts.get(key_id)
        if found is None or not await self._things.may(key_id, right):
            raise NotFound("There is no such virtual key.")
        return found

    async def make(self, key: VirtualKey) -> tuple[str, KeyAccount]:
        """The key itself, which nobody gets again, and its account. key: without its secret. Raises
        `Conflict`."""
        await self.open()
        async with self._changing:
            if len(self._accounts) >= self._settings.max_keys:
                raise Conflict(f"There are {self._settings.max_keys} virtual keys already (gateway.max_keys).")
            async with self._things.placing(key.id):
                return await self._with_secret(key)

    async def change(self, key_id: str, change: Callable[[VirtualKey], VirtualKey]) -> KeyAccount:
        """Raises `NotFound`, and `Conflict` for a revoked key."""
        async with self._changing:
            changed = change(await self._valid(key_id))
            await self._require_reach(changed)
            return await self._keep(changed)

    async def rotate(self, key_id: str) -> tuple[str, KeyAccount]:
        """The same key with a new secret; the old one counts no more. Raises as `change`."""
        async with self._changing:
            return await self._with_secret(await self._valid(key_id))

    async def revoke(self, key_id: str) -> KeyAccount:
        """For good; what it has used stays known. Raises `NotFound`."""
        async with self._changing:
            account = await self.find(key_id, "write")
            if account.key.revoked_at is not None:
                return account
            return await self._keep(replace(account.key, revoked_at=self._context.clock.now_ms()))

    async def usage(self, key_id: str | None, since: int, until: int, limit: int) -> Sequence[KeyUsageRow]:
        """Days such as 20261128, both included; the latest first. Of keys and profiles that the current reach sees."""
        await self.open()
        await self.writer.settled()
        within = await self._usage_within()
        look = partial(tables.usage_rows, key=key_id, since=since, until=until, limit=limit, within=within)
        return await asyncio.to_thread(self.database.read, look)

    async def _usage_within(self) -> tables.UsageWithin | None:
        if not await self._profiles.is_limited():
            return None
        names = await asyncio.to_thread(self.database.read, tables.profile_names)
        keys = [account.key.id for account in await self.seen()]
        return tables.UsageWithin(keys, sorted(await self._profiles.seen(names)))

    async def close(self) -> None:
        await self.writer.settled()
        await asyncio.to_thread(self.database.close)

    # -- parts

    async def _valid(self, key_id: str) -> VirtualKey:
        key = (await self.find(key_id, "write")).key
        if key.revoked_at is not None:
            raise Conflict("This virtual key was revoked; make a new one.")
        return key

    async def _require_reach(self, key: VirtualKey) -> None:
        """The one who gets the secret, or says what it opens, must see all that it opens. Raises `InvalidInput`."""
        if not await self._profiles.is_limited():
            return
        if not key.profiles:
            told = "name the profiles that it opens; a key for all of them is an administrator's"
        elif hidden := sorted(set(key.profiles) - await self._profiles.seen(key.profiles)):
            told = f"there is no profile {', '.join(hidden)} in your projects"
        else:
            return
        raise InvalidInput(f"The key opens more than you see: {told}.", details={"profiles": told})

    async def _with_secret(self, key: VirtualKey) -> tuple[str, KeyAccount]:
        await self._require_reach(key)
        text = secret()
        self._context.secrets.redact(text)
        return text, await self._keep(with_secret(key, text))

    async def _keep(self, key: VirtualKey) -> KeyAccount:
        """Once it is on the disk, it counts."""
        await self.writer.put(partial(tables.put_key, key=key))
        account = self._accounts.get(key.id)
        if account is None:
            account = KeyAccount(key)
        else:
            self._by_digest.pop(account.key.digest, None)
        account.key = key
        self._accounts[key.id] = self._by_digest[key.digest] = account
        return account

    async def _read(self) -> None:
        now_ms = self._context.clock.now_ms()
        today = day_of(now_ms)
        days = self._settings.usage_days
        left: list[int] = []
        steps: list[Work] = [
            lambda connection: left.append(tables.take_over(connection)),
            partial(tables.fold, up_to=days_before(today, days), most_names=self._settings.models_per_day),
            partial(tables.drop_revoked, before_ms=now_ms - days * DAY_MS),
        ]
        await asyncio.to_thread(self.database.write, steps)
        if left[0]:
            self._context.log.warning(
                "%d requests of virtual keys were in flight when the daemon ended; what was reserved for them counts.",
                left[0],
            )
        for key in await asyncio.to_thread(self.database.read, tables.all_keys):
            self._accounts[key.id] = self._by_digest[key.digest] = KeyAccount(key)
        for key_id, model in await asyncio.to_thread(self.database.read, partial(tables.models_of, day=today)):
            if (account := self._accounts.get(key_id)) is not None:
                account.counted_as(model, today, self._settings.models_per_day)
        rows = await asyncio.to_thread(self.database.read, lambda connection: list(tables.used(connection, today)))
        for period, key_id, usd, tokens, last in rows:
            if (account := self._accounts.get(key_id)) is not None:
                account.known(period, usd, tokens, now_ms)
                account.last_used_ms = max(account.last_used_ms or 0, last)
