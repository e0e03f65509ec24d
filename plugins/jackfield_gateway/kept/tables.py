"""The statements that write and read keys, reservations and usage. Each function is one step of a transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from jackfield.api.gateway import PlannedRequest
from jackfield.api.records import record
from jackfield_gateway.keys.virtual_key import Period, VirtualKey, packed, unpacked
from jackfield_gateway.limits.day_names import OTHER

_COUNTS = (
    "requests", "failures", "cached", "estimated", "unpriced", "input", "output", "cache_read", "cache_write",
    "reserved", "usd",
)  # fmt: skip
_NAMES = ("key", "day", "profile", "provider", "model", *_COUNTS, "last")
_SUMS = ", ".join(f"total({name})" if name == "usd" else f"coalesce(sum({name}), 0)" for name in _COUNTS)
_ADD = (
    f"INSERT INTO usage ({', '.join(_NAMES)}) VALUES ({', '.join('?' * len(_NAMES))}) ON CONFLICT DO UPDATE SET "  # noqa: S608 - of constants
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in _COUNTS)
    + ", last = max(last, excluded.last)"
)
_TOKENS = "input + output + cache_read + cache_write + reserved"
_SINCE = f"SELECT key, total(usd), total({_TOKENS}), max(last) FROM usage WHERE day BETWEEN ? AND ? GROUP BY key"  # noqa: S608 - of constants
_FOLD = (
    f"INSERT INTO usage ({', '.join(_NAMES)}) SELECT key, 0, profile, provider, model, {_SUMS}, max(last) FROM usage "  # noqa: S608 - of constants
    f"WHERE day BETWEEN 1 AND ? GROUP BY key, profile, provider, model ON CONFLICT DO UPDATE SET "
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in _COUNTS)
)

_MAKE_FEW = "CREATE TEMP TABLE few (key TEXT, model TEXT)"
_FILL_FEW = (
    "INSERT INTO few SELECT key, model FROM (SELECT key, model, row_number() OVER (PARTITION BY key ORDER BY "
    "sum(requests) DESC, model) AS place FROM usage WHERE day = 0 GROUP BY key, model) WHERE ? >= place"
)
_MANY = f"day = 0 AND model != '{OTHER}' AND (key, model) NOT IN (SELECT key, model FROM few)"  # noqa: S608 - of constants
_MERGE = (
    f"INSERT INTO usage ({', '.join(_NAMES)}) SELECT key, 0, profile, provider, '{OTHER}', {_SUMS}, max(last) "  # noqa: S608 - of constants
    f"FROM usage WHERE {_MANY} GROUP BY key, profile, provider ON CONFLICT DO UPDATE SET "
    + ", ".join(f"{name} = {name} + excluded.{name}" for name in _COUNTS)
)
_DROP = f"DELETE FROM usage WHERE {_MANY}"  # noqa: S608 - of constants


@record
class KeyUsageRow:
    """Of one key, local day, profile and model. `day`: such as 20261128; 0: all days that are kept together.
    `estimated`: requests whose answers did not say all that they used. `unpriced`: those without a known cost.
    `reserved`: tokens that stand for what is not known. `last`: Unix ms."""

    key: str
    day: int
    profile: str
    provider: str
    model: str
    requests: int = 1
    failures: int = 0
    cached: int = 0
    estimated: int = 0
    unpriced: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reserved: int = 0
    usd: float = 0.0
    last: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write + self.reserved


def put_key(connection: sqlite3.Connection, key: VirtualKey) -> None:
    connection.execute(
        "INSERT INTO keys VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, "
        "document = excluded.document",
        (key.id, key.digest, packed(key)),
    )


def all_keys(connection: sqlite3.Connection) -> list[VirtualKey]:
    """Raises ValueError for one that cannot be read."""
    return [unpacked(document) for (document,) in connection.execute("SELECT document FROM keys ORDER BY id")]


def drop_revoked(connection: sqlite3.Connection, before_ms: int) -> None:
    """Keys that were revoked before then, with what they have used, and made."""
    old = [key.id for key in all_keys(connection) if key.revoked_at is not None and key.revoked_at < before_ms]
    for table, column in (("keys", "id"), ("usage", "key"), ("objects", "holder")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(one,) for one in old])  # noqa: S608 - of constants


def reserve(connection: sqlite3.Connection, planned: PlannedRequest, held: tuple[int, int, float], day: int) -> None:
    """held: Unix ms, tokens, US dollars."""
    connection.execute(
        "INSERT OR REPLACE INTO reserved VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (planned.request, planned.key, planned.profile, planned.provider, planned.model, day, *held),
    )


def forget(connection: sqlite3.Connection, request: str) -> None:
    """A reservation that stands for nothing any more."""
    connection.execute("DELETE FROM reserved WHERE request = ?", (request,))


def add(connection: sqlite3.Connection, row: KeyUsageRow) -> None:
    connection.execute(_ADD, [getattr(row, name) for name in _NAMES])


def take_over(connection: sqlite3.Connection) -> int:
    """Count what another process has left reserved; how many requests that were."""
    found = connection.execute("SELECT key, day, profile, provider, model, tokens, usd, time FROM reserved").fetchall()
    for key, day, profile, provider, model, tokens, usd, time in found:
        row = KeyUsageRow(key, day, profile, provider, model, estimated=1, reserved=tokens, usd=usd, last=time)
        add(connection, row)
    connection.execute("DELETE FROM reserved")
    return len(found)


def fold(connection: sqlite3.Connection, up_to: int, most_names: int) -> None:
    """Days up to this one are kept as one sum, of the models that were asked for most, and of all others together."""
    connection.execute(_FOLD, (up_to,))
    connection.execute("DELETE FROM usage WHERE day BETWEEN 1 AND ?", (up_to,))
    connection.execute(_MAKE_FEW)
    connection.execute(_FILL_FEW, (most_names,))
    for statement in (_MERGE, _DROP, "DROP TABLE few"):
        connection.execute(statement)


def models_of(connection: sqlite3.Connection, day: int) -> list[tuple[str, str]]:
    """Each key with each model of which there is usage on the day."""
    rows = connection.execute("SELECT DISTINCT key, model FROM usage WHERE day = ?", (day,))
    return [(key, model) for key, model in rows]


def used(connection: sqlite3.Connection, day: int) -> Iterator[tuple[Period, str, float, float, int]]:
    """Of each key in the periods of this day: US dollars, tokens, and when the last request ended."""
    ranges: Sequence[tuple[Period, int, int]] = (
        ("day", day, day),
        ("month", day // 100 * 100, day // 100 * 100 + 99),
        ("total", 0, 99_999_999),
    )
    for period, first, last in ranges:
        for key, usd, tokens, ended in connection.execute(_SINCE, (first, last)):
            yield period, key, usd, tokens, ended


@record
class UsageWithin:
    """The keys and the names of profiles whose usage counts."""

    keys: Sequence[str]
    profiles: Sequence[str]


def profile_names(connection: sqlite3.Connection) -> list[str]:
    """Of all profiles that have been used, also former ones."""
    return [str(name) for (name,) in connection.execute("SELECT DISTINCT profile FROM usage")]


def usage_rows(
    connection: sqlite3.Connection,
    key: str | None,
    since: int,
    until: int,
    limit: int,
    within: UsageWithin | None = None,
) -> list[KeyUsageRow]:
    """The latest days first. key: None for all; within: None for all."""
    keys, profiles = (None, None) if within is None else (json.dumps(within.keys), json.dumps(within.profiles))
    query = (
        f"SELECT {', '.join(_NAMES)} FROM usage WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR key = ?3) "  # noqa: S608 - of constants
        "AND (?5 IS NULL OR key IN (SELECT value FROM json_each(?5))) "
        "AND (?6 IS NULL OR profile IN (SELECT value FROM json_each(?6))) "
        "ORDER BY day DESC, key, profile, provider, model LIMIT ?4"
    )
    return [KeyUsageRow(*row) for row in connection.execute(query, (since, until, key, limit, keys, profiles))]
