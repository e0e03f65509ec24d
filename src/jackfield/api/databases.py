"""Connections to databases that speak no HTTP, for the nodes of any plugin. They open with the values of a stored
credential, at addresses that the operator allows (`integrations.allowed_hosts`), within its limits of time and number.

A connection serves one piece of work at a time. It may serve another one with the same values after it, unless the work
failed: leave no state in it. It raises `NodeError` without secrets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from .nodes.types import NodeError


class DatabaseRefusal(NodeError):
    """The server refused a statement or a command.

    `code`: the database's own word for the reason; empty when it gave none. It is an SQLSTATE of PostgreSQL, a number
    of MongoDB, or the first word of a message of Redis.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class SqlConnection(Protocol):
    """A connection to PostgreSQL. Each statement is its own transaction."""

    async def query(self, statement: str, values: Sequence[object] = ()) -> Sequence[Sequence[object]]:
        """The rows of a statement, in which `%s` stands for each value; values never become SQL. jsonb comes as what
        it holds. Raises `DatabaseRefusal`, and `NodeError` for more rows than `integrations.max_rows`."""


class RedisConnection(Protocol):
    """A connection to Redis."""

    async def command(self, *words: bytes | str | float) -> object:
        """The answer; texts in UTF-8. Raises `DatabaseRefusal`."""


class MongoConnection(Protocol):
    """A connection to MongoDB."""

    @property
    def database(self) -> str:
        """The name of the credential's own database; may be empty."""

    async def command(self, database: str, command: Mapping[str, object]) -> Mapping[str, object]:
        """The answer to a command of the database, whose first member names it, such as `find`. Raises
        `DatabaseRefusal`."""


class DatabaseConnections(Protocol):
    """The port. values: of a credential of the kind `postgres`, `redis` or `mongoDb`. Opening raises `NodeError`, and
    `NodeUnavailable` where the address is not allowed or the extra is not installed."""

    def postgres(self, values: Mapping[str, object]) -> AbstractAsyncContextManager[SqlConnection]: ...

    def redis(self, values: Mapping[str, object]) -> AbstractAsyncContextManager[RedisConnection]: ...

    def mongo(self, values: Mapping[str, object]) -> AbstractAsyncContextManager[MongoConnection]: ...
