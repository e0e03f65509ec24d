"""The store and the daemon agree on the master key.

The store notes the fingerprint of the key that seals. It refuses a daemon with another key, which would otherwise fail
at every secret.
"""

from __future__ import annotations

import asyncio

from jackfield.api.clock import Clock
from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.storage import Store

from .keys.record import FACT, KeyRecord, read_record
from .keys.ring import PREVIOUS_VARIABLE, VARIABLE
from .secrets import FileSecrets

LOOK_EVERY = 1.0
"""Seconds until a daemon notices that another key seals; whoever rotates waits longer."""
_TRIED = 20
"""Credentials that are tried with a key before it is noted as the store's."""


async def agree(store: Store, secrets: FileSecrets, clock: Clock) -> KeyRecord:
    """Take the key that the store names, or note ours in a store without one. Raises `ConfigurationError`."""
    while True:
        text = await store.fact(FACT)
        if text is not None:
            found = read_record(text)
            await asyncio.to_thread(_choose, secrets, found)
            return found
        await _expect_openable(store, secrets)
        ours = await asyncio.to_thread(secrets.ring.configured)
        made = KeyRecord(ours.fingerprint, clock.now_ms())
        if await store.change_fact(FACT, None, made.text()):
            return made


async def follow(store: Store, secrets: FileSecrets, clock: Clock, known: str) -> None:
    """Change the key as soon as the store does. known: the fingerprint so far. Ends only by its `ConfigurationError`:
    the store's key is not here."""
    while True:
        await clock.sleep(LOOK_EVERY)
        try:
            text = await store.fact(FACT)
        except StoreUnavailable:
            continue
        found = read_record(text) if text is not None else None
        if found is not None and found.fingerprint != known:
            await asyncio.to_thread(_choose, secrets, found)
            known = found.fingerprint


def _choose(secrets: FileSecrets, found: KeyRecord) -> None:
    ring = secrets.ring
    if not ring.is_there():
        raise ConfigurationError(
            f"There is no master key, and the store is sealed with {found.fingerprint}: put your copy of `keys/` at "
            f"{ring.directory.path}, or set {VARIABLE}. No other key opens it."
        )
    if ring.choose(found.fingerprint):
        return
    where = VARIABLE if ring.is_given else str(ring.directory.master_path)
    raise ConfigurationError(
        f"{where} is another master key ({ring.configured().fingerprint}) than the one that the store is sealed with "
        f"({found.fingerprint}). Set {VARIABLE} or restore {ring.directory.master_path} to that key. To change the "
        f"key, set {PREVIOUS_VARIABLE} to that key as well, and run `jackfield keys rotate`."
    )


async def _expect_openable(store: Store, secrets: FileSecrets) -> None:
    """A store of before has no fingerprint. Its credentials tell whether the key is its own."""
    stored = (await store.credentials(0, _TRIED)).rows
    if stored and not await asyncio.to_thread(_opens_one, secrets, [each.sealed for each in stored]):
        where = VARIABLE if secrets.ring.is_given else str(secrets.ring.directory.master_path)
        raise ConfigurationError(
            f"{where} opens none of the stored credentials: they were sealed with another key. Set {VARIABLE} or "
            f"restore {secrets.ring.directory.master_path} to that key."
        )


def _opens_one(secrets: FileSecrets, sealed: list[bytes]) -> bool:
    if not secrets.ring.is_there():
        return False
    for each in sealed:
        try:
            secrets.open(each)
        except ValueError:
            continue
        return True
    return False
