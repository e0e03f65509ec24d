"""The reports of damage in the log, `/metrics` and `jackfield doctor`, and the look at all the data after an unclean
stop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding, Metric
from jackfield_store_sqlite.damage.checking import LookProgress, in_thread, look
from jackfield_store_sqlite.damage.known import REMEDY, DamageFinding
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.store import SqliteStore

_REST = 3.0
"""Seconds of pause per second of looking: a quarter of a processor at most."""
_DOCTOR = 10.0
"""Seconds that the doctor looks at the data."""


def start(context: PluginContext) -> None:
    """Look at all the data, beside the daemon, if the last one did not end in order."""
    store = context.store
    if isinstance(store, SqliteStore) and store.database.watch.suspect:
        context.log.info(
            "The last daemon did not end in order; a look at the whole database goes on in the background."
        )
        context.spawn("store_sqlite.look", _look_at_all(context, store.database))


async def _look_at_all(context: PluginContext, database: SqliteDatabase) -> None:
    begun = time.monotonic()
    found = await in_thread(lambda stopped: look(database.file, database.settings, LookProgress(stopped, _REST)))
    if found is None:
        return
    if found:
        await asyncio.to_thread(database.watch.known.add, [DamageFinding(text) for text in found])
    else:
        context.log.info("The whole database was looked at in %.1f s: it is whole.", time.monotonic() - begun)
    database.watch.checked()


async def findings(context: PluginContext) -> Sequence[Finding]:
    """For `jackfield doctor`: the damage that is known, and that which a short look finds."""
    store = context.store
    if not isinstance(store, SqliteStore):
        return []
    database = store.database
    await asyncio.to_thread(database.watch.known.refresh)
    known = [each.text for each in database.watch.known.findings]

    def limited(stopped: threading.Event) -> Sequence[str] | None:
        timer = threading.Timer(_DOCTOR, stopped.set)
        timer.start()
        try:
            return look(database.file, database.settings, LookProgress(stopped))
        finally:
            timer.cancel()

    found = await in_thread(limited)
    told = {*known, *database.watch.known.accepted}
    bad = [*known, *(text for text in found or () if text not in told)]
    if bad:
        return [Finding("data", False, f"{text} To do: {REMEDY}.") for text in bad]
    partly = f"{_DOCTOR:.0f} s found no damage; `jackfield verify` looks at all of it"
    return [Finding("data", True, partly if found is None else "is whole")]


def metrics(context: PluginContext) -> Sequence[Metric]:
    store = context.store
    if not isinstance(store, SqliteStore):
        return []
    known = store.database.watch.known.findings
    return [
        *store.database.metrics(),
        Metric("store_damage_findings", "Findings of damage that nobody has acknowledged.", "gauge", len(known)),
        Metric(
            "store_lost_commits",
            "Acknowledged commits that are missing and that nobody has acknowledged as lost.",
            "gauge",
            sum(each.lost for each in known),
        ),
    ]


async def acknowledge(context: PluginContext) -> Sequence[str]:
    """The work of `jackfield acknowledge-damage`: the findings that were acknowledged. Raises `ConfigurationError`."""
    store = context.store
    return await store.acknowledge_damage() if isinstance(store, SqliteStore) else ()
