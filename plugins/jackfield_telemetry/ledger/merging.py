"""Putting a batch into the ledger: every answer once, whatever the order in which its lines come."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from jackfield.api.records import record
from jackfield.api.telemetry import Tokens
from jackfield_telemetry.ledger import responses
from jackfield_telemetry.ledger.batches import PLAIN, REQUEST_MASK, EntryBatch, Row
from jackfield_telemetry.ledger.packing import PROXIED
from jackfield_telemetry.ledger.responses import EARLIER, LATER, NAMES_DIFFER
from jackfield_telemetry.ledger.schema import SLOT_MS

if TYPE_CHECKING:
    import jackfield_native

_SUMS = "count, input, output, written, read, hours, cost"
_DIM = "INSERT OR IGNORE INTO dims (id, agent, provider, profile, model, tier, source) VALUES (?, ?, ?, ?, ?, ?, ?)"
_SESSION = """
INSERT INTO sessions (id, agent, name, project) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET project = excluded.project WHERE project = ''
"""
_TOGETHER = 32
"""Rows of one statement: each costs a step of the database, each of its values a call."""
_LOADED_TOGETHER = 32
"""The same of rows from Python."""
_ROW = f"({', '.join('?' * 12)})"
_LOAD = f"INSERT INTO incoming VALUES {_ROW}"  # noqa: S608 - a constant
_LOAD_MANY = f"INSERT INTO incoming VALUES {', '.join([_ROW] * _LOADED_TOGETHER)}"  # noqa: S608 - a constant


def _packed(first: int) -> str:
    """A row of `jackfield_native.Part.split`, from this parameter on."""
    key, time, dim, session, fresh, cached, rest = (f"?{number}" for number in range(first, first + 7))
    counts = f"{fresh} >> 31, {fresh} & {2**31 - 1}, {cached} >> 31, {cached} & {2**31 - 1}"
    return f"({key}, {time} >> 4, {dim}, {session}, {time} & 15, {counts}, {rest} >> 1, NULL, {rest} & 1)"


def put_statement(together: int) -> str:
    """For that many rows at once."""
    return f"INSERT INTO entries VALUES {', '.join(_packed(1 + 7 * row) for row in range(together))}"  # noqa: S608 - our own names; values are parameters


_PUT = put_statement(_TOGETHER)
_VALUES = ", ".join("?" * PLAIN)


def plain_statements(together: int) -> tuple[str, str]:
    """The same of `EntryBatch.split`; without a profile, and with one."""
    without, profiled = (", ".join([f"({_VALUES}, NULL, {last})"] * together) for last in (0, 1))
    return f"INSERT INTO entries VALUES {without}", f"INSERT INTO entries VALUES {profiled}"  # noqa: S608 - of constants


_PUT_PLAIN = plain_statements(_TOGETHER)
_STORED = f"""
SELECT answer.value FROM json_each(?) AS answer WHERE EXISTS (
  SELECT 1 FROM entries AS e WHERE e.key >= answer.value AND e.key <= answer.value | {REQUEST_MASK})
"""  # noqa: S608 - of constants
_RELATED = f"""
INSERT INTO related SELECT i.key, e.key FROM incoming AS i CROSS JOIN entries AS e
ON e.key >= i.key & ~{REQUEST_MASK} AND e.key <= i.key | {REQUEST_MASK}
"""  # noqa: S608 - of constants
_KNOWN = """
DELETE FROM incoming WHERE EXISTS (
  SELECT 1 FROM related AS r CROSS JOIN entries AS e ON e.key = r.stored
  WHERE r.incoming = incoming.key AND r.stored = incoming.key
  AND (e.input + e.output + e.written + e.read, -e.time)
    >= (incoming.input + incoming.output + incoming.written + incoming.read, -incoming.time))
"""
_COPIES = f"""
DELETE FROM incoming WHERE key & {REQUEST_MASK} = 0 AND (
  EXISTS (SELECT 1 FROM related AS r WHERE r.incoming = incoming.key AND r.stored > incoming.key)
  OR EXISTS (SELECT 1 FROM incoming AS i WHERE i.key > incoming.key AND i.key <= incoming.key | {REQUEST_MASK}))
"""  # noqa: S608 - of constants
_SERVED = f"""
DELETE FROM incoming WHERE key & {REQUEST_MASK} <> {PROXIED} AND EXISTS (
  SELECT 1 FROM related AS r WHERE r.incoming = incoming.key AND r.stored & {REQUEST_MASK} = {PROXIED})
"""  # noqa: S608 - of constants
_GONE = f"""
INSERT OR IGNORE INTO gone SELECT stored FROM related
WHERE incoming IN (SELECT i.key FROM incoming AS i)
AND (stored = incoming OR stored & {REQUEST_MASK} = 0 OR incoming & {REQUEST_MASK} = {PROXIED})
"""  # noqa: S608 - of constants
_PROXIES = "SELECT 1 FROM dims WHERE source = 'proxy' LIMIT 1"
_SAME = (
    "served.agent = own.agent AND served.profile = own.profile AND served.source = 'proxy' AND own.source <> 'proxy'"
    " AND e.profiled = 1 AND i.profiled = 1"
    " AND e.input = i.input AND e.output = i.output AND e.written = i.written AND e.read = i.read"
    f" AND NOT {NAMES_DIFFER}"
)
_TWINS = f"""
DELETE FROM incoming WHERE key IN (
  SELECT i.key FROM incoming AS i CROSS JOIN dims AS own CROSS JOIN dims AS served CROSS JOIN entries AS e
  WHERE own.id = i.dim AND e.dim = served.id AND {_SAME}
  AND e.time BETWEEN i.time - {EARLIER} AND i.time + {LATER})
"""  # noqa: S608 - of constants
_GONE_TWINS = f"""
INSERT OR IGNORE INTO gone
  SELECT e.key FROM incoming AS i CROSS JOIN dims AS served CROSS JOIN dims AS own CROSS JOIN entries AS e
  WHERE served.id = i.dim AND e.dim = own.id AND {_SAME}
  AND e.time BETWEEN i.time - {LATER} AND i.time + {EARLIER}
"""  # noqa: S608 - of constants
"""Some agents' logs do not name the provider's answer, so that its id cannot tell that a proxy has counted it already.

Then the profile, the counts and the time do, unless both are named.
"""


_ADDED = ", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMS.split(", "))
_TO_SLOT = f"""
ON CONFLICT DO UPDATE SET {_ADDED}, first = min(first, excluded.first), last = max(last, excluded.last)
"""


def _slots(source: str, sign: str) -> str:
    sums = ", ".join(f"{sign}sum({name})" for name in ("input", "output", "written", "read", "hours"))
    return f"""
    INSERT INTO slots
      SELECT time / {SLOT_MS}, dim, session, step, cost IS NOT NULL, {sign}count(*), {sums}, {sign}total(cost),
        min(time), max(time) FROM {source} GROUP BY 1, 2, 3, 4, 5
    {_TO_SLOT}
    """  # noqa: S608 - of constants


_PUT_SLOT = f"INSERT INTO slots VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, 0.0, ?, ?) {_TO_SLOT}"  # noqa: S608 - our own names; values are parameters
"""A sum of `split`."""
_ADD = _slots("incoming", "")
_TAKE = _slots("entries WHERE key IN (SELECT key FROM gone)", "-")


@record
class AddedUsage:
    """The usage that a batch brought. entries: answers that were new; tokens: also by answers that grew."""

    entries: int = 0
    tokens: Tokens = Tokens()

    def plus(self, other: AddedUsage) -> AddedUsage:
        return AddedUsage(self.entries + other.entries, self.tokens.plus(other.tokens))


def merge(connection: sqlite3.Connection, batch: EntryBatch | jackfield_native.Part) -> AddedUsage:
    """Inside a transaction."""
    if not len(batch):
        return AddedUsage()
    connection.executemany(_DIM, batch.dims)
    connection.executemany(_SESSION, batch.sessions)
    proxies = connection.execute(_PROXIES).fetchone() is not None
    responses.load(connection, batch.responses)
    added = _stored(connection, batch, proxies=proxies)
    responses.keep(connection)
    return added


def _stored(connection: sqlite3.Connection, batch: EntryBatch | jackfield_native.Part, *, proxies: bool) -> AddedUsage:
    known = _known(connection, batch)
    if proxies:
        known += responses.seen(connection)
    rows, slots, (count, *tokens), others = batch.split(known, proxies, _TOGETHER)
    connection.executemany(_PUT_PLAIN[batch.profiled] if isinstance(batch, EntryBatch) else _PUT, rows)
    connection.executemany(_PUT_SLOT, slots)
    return AddedUsage(count, Tokens(*tokens)).plus(_merged(connection, others))


def _known(connection: sqlite3.Connection, part: EntryBatch | jackfield_native.Part) -> list[int]:
    """Answers of which something is stored."""
    if connection.execute("SELECT 1 FROM entries LIMIT 1").fetchone() is None:
        return []
    return [answer for (answer,) in connection.execute(_STORED, (part.answers(),))]


def _merged(connection: sqlite3.Connection, rows: Sequence[Row]) -> AddedUsage:
    if not rows:
        return AddedUsage()
    run = connection.execute
    run("DELETE FROM incoming")
    _load(connection, rows)
    replaced = _settle(connection)
    added = _sums(connection, "incoming").plus(replaced)
    run(_ADD)
    run("INSERT INTO entries SELECT * FROM incoming")
    return added


def _load(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    whole = len(rows) - len(rows) % _LOADED_TOGETHER
    together = (rows[start : start + _LOADED_TOGETHER] for start in range(0, whole, _LOADED_TOGETHER))
    connection.executemany(_LOAD_MANY, (tuple(chain.from_iterable(some)) for some in together))
    connection.executemany(_LOAD, rows[whole:])


def _settle(connection: sqlite3.Connection) -> AddedUsage:
    """Take out of `incoming` and of `entries` what the other has better. Negative: what of the latter."""
    run = connection.execute
    run("DELETE FROM related")
    related = run(_RELATED).rowcount
    if related:
        run(_KNOWN)
    if run(f"SELECT 1 FROM incoming WHERE key & {REQUEST_MASK} = 0 LIMIT 1").fetchone():  # noqa: S608 - a constant
        run(_COPIES)
    proxies = run(_PROXIES).fetchone() is not None
    if proxies:
        run(_TWINS)
        responses.leave_served(connection)
    if not related and not proxies:
        return AddedUsage()
    run(_SERVED)
    run("DELETE FROM gone")
    gone = run(_GONE).rowcount
    if proxies:
        gone += run(_GONE_TWINS).rowcount + responses.give_way(connection)
    if not gone:
        return AddedUsage()
    replaced = _sums(connection, "entries WHERE key IN (SELECT key FROM gone)", "-")
    run(_TAKE)
    run("DELETE FROM entries WHERE key IN (SELECT key FROM gone)")
    responses.forget(connection)
    return replaced


def _sums(connection: sqlite3.Connection, rows: str, sign: str = "") -> AddedUsage:
    names = ("count(*)", "sum(input)", "sum(output)", "sum(written)", "sum(read)", "sum(hours)")
    asked = f"SELECT {', '.join(sign + name for name in names)} FROM {rows}"  # noqa: S608 - of constants
    found: Sequence[int | None] = connection.execute(asked).fetchone()
    count, *tokens = (number or 0 for number in found)
    return AddedUsage(count, Tokens(*tokens))
