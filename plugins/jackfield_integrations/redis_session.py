"""A connection to Redis."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Any, TypeVar

import orjson
import redis.asyncio as client
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from jackfield.api.databases import DatabaseRefusal
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets, tls_for

Result = TypeVar("Result")
_PAGE = 1000
"""Keys that one SCAN looks at."""
_HEARTBEAT_S = 30.0
"""After that much silence a subscribed connection is asked whether it lives, and has as long to answer."""


class CheckedRedisConnection(client.Connection):
    """Takes a TLS context as it is, which verifies the name although the connection goes to an address."""

    def __init__(self, *, tls: ssl.SSLContext | None = None, **more: Any) -> None:  # Any: as in the base class
        super().__init__(**more)
        self._tls = tls

    def _connection_arguments(self) -> Mapping[str, Any]:
        made = dict(super()._connection_arguments())
        return made | {"ssl": self._tls} if self._tls else made


class RedisSession:
    """The operations of the node, and `RedisConnection` for others. Every method may raise `RedisError`; `guarded`
    makes it a `NodeError`."""

    def __init__(self, redis: client.Redis, values: DriverCredential, most: int) -> None:
        self._redis: Any = redis  # the library types every answer as either now or later
        self._values = values
        self._most = most

    async def guarded(self, work: Awaitable[Result]) -> Result:
        """Raises `NodeError`, without secrets."""
        try:
            return await work
        except (RedisError, OSError, UnicodeError) as exc:
            raise NodeError(f"Redis: {self._values.shown(exc)}.") from None

    async def answers(self) -> None:
        """Raises `NodeError` when the server does not, any more."""
        await self.command("PING")

    async def command(self, *words: bytes | str | float) -> object:
        """`RedisConnection.command`; it raises no `RedisError`."""
        try:
            found: object = await self._redis.execute_command(*words)
        except ResponseError as exc:
            text = self._values.shown(exc)
            raise DatabaseRefusal(f"Redis: {text}.", text.partition(" ")[0]) from None
        except (RedisError, OSError, UnicodeError) as exc:
            raise NodeError(f"Redis: {self._values.shown(exc)}.") from None
        return found

    async def delete(self, key: str) -> None:
        await self._redis.delete(key)

    async def value(self, key: str, kind: str) -> Json:
        """The key's value, None when there is none. kind: as the parameter keyType."""
        if kind == "automatic":
            kind = {"set": "sets"}.get(found := str(await self._redis.type(key)), found)
        match kind:
            case "string":
                text: str | None = await self._redis.get(key)
                return text
            case "list":
                self._check(await self._redis.llen(key))
                return list(await self._redis.lrange(key, 0, -1))
            case "hash":
                self._check(await self._redis.hlen(key))
                return dict(await self._redis.hgetall(key))
            case "sets":
                self._check(await self._redis.scard(key))
                return sorted(await self._redis.smembers(key))
        return None

    def _check(self, count: int) -> None:
        if count > self._most:
            raise NodeError(f"The key has more than {self._most} entries (integrations.max_rows).")

    async def increment(self, key: str, ttl: int | None) -> int:
        value: int = await self._redis.incr(key)
        if ttl is not None:
            await self._redis.expire(key, ttl)
        return value

    async def info(self) -> dict[str, Json]:
        return {str(name): _plain(value) for name, value in (await self._redis.info()).items()}

    async def keys(self, pattern: str) -> list[str]:
        """Sorted, without stopping the server as KEYS does."""
        found: set[str] = set()
        async for key in self._redis.scan_iter(match=pattern, count=_PAGE):
            found.add(key)
            if len(found) > self._most:
                raise NodeError(f"More than {self._most} keys match (integrations.max_rows); narrow the pattern.")
        return sorted(found)

    async def length(self, key: str) -> int:
        count: int = await self._redis.llen(key)
        return count

    async def pop(self, key: str, *, tail: bool) -> Json:
        """The first or last entry, read as JSON where it is that."""
        text = await (self._redis.rpop(key) if tail else self._redis.lpop(key))
        if text is None:
            return None
        try:
            value: Json = orjson.loads(text)
        except orjson.JSONDecodeError:
            return str(text)
        return value

    async def push(self, key: str, text: str, *, tail: bool) -> None:
        await (self._redis.rpush(key, text) if tail else self._redis.lpush(key, text))

    async def publish(self, channel: str, text: str) -> None:
        await self._redis.publish(channel, text)

    @contextlib.asynccontextmanager
    async def messages(self, patterns: Sequence[str]) -> AsyncIterator[AsyncIterator[tuple[str, str]]]:
        """Subscribed to channels with these names or patterns: channel and text of each message from then on. Raises
        `NodeError`, also when the server is silent."""
        async with self._redis.pubsub() as channel:
            await self.guarded(channel.psubscribe(*patterns))
            yield self._messages(channel)

    async def _messages(self, channel: Any) -> AsyncIterator[tuple[str, str]]:
        silent = False
        while True:
            told = await self.guarded(channel.get_message(timeout=_HEARTBEAT_S))
            if told is None:
                if silent:
                    raise NodeError(f"Redis does not answer for {_HEARTBEAT_S:g} seconds.")
                await self.guarded(channel.ping())
            elif told["type"] == "pmessage":
                yield str(told["channel"]), str(told["data"])
            silent = told is None

    async def store(self, key: str, value: str | list[str] | dict[str, str] | set[str], ttl: int | None) -> None:
        """Replace the key, at once."""
        async with self._redis.pipeline(transaction=True) as steps:
            if isinstance(value, str):
                steps.set(key, value)
            else:
                steps.delete(key)
            if isinstance(value, dict) and value:
                steps.hset(key, mapping=value)
            elif isinstance(value, list) and value:
                steps.rpush(key, *value)
            elif isinstance(value, set) and value:
                steps.sadd(key, *value)
            if ttl is not None:
                steps.expire(key, ttl)
            await steps.execute()


def _plain(value: object) -> Json:
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | bool) else str(value)


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[RedisSession]:
    """A connection that is signed in. Raises `NodeError`."""
    host, port = values.needed("host"), values.port(6379)
    verify = not values.flag("disableTlsVerification")
    tls = await tls_for(host, verify=verify, authorities=values.text("caCertificate")) if values.flag("ssl") else None

    async def connect(address: str) -> client.Redis:
        pool = client.ConnectionPool(
            connection_class=CheckedRedisConnection,
            max_connections=1,
            host=address,
            port=port,
            db=values.number("database", 0),
            username=values.text("user") or None,
            password=values.text("password") or None,
            protocol=2,  # the next one lets the server send the client elsewhere
            decode_responses=True,
            encoding_errors="replace",
            socket_connect_timeout=settings.connect_timeout,
            socket_timeout=settings.timeout,
            retry=Retry(NoBackoff(), 0),
            tls=tls,
        )
        made = client.Redis.from_pool(pool)
        try:
            await made.ping()
        except BaseException:
            await made.aclose()
            raise
        return made

    redis = await targets.reach(values, host, port, connect, [RedisError])
    try:
        yield RedisSession(redis, values, settings.max_rows)
    finally:
        await redis.aclose()
