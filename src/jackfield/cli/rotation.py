"""`jackfield keys`: another master key, everything that the earlier one has sealed, and the end of the earlier one.

The earlier key stays beside the new one, so that an end at any moment loses nothing. Which key seals is one fact in the
store, changed at once for every daemon; a daemon opens with all of them.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

from jackfield.api.cli import CommandAct
from jackfield.api.daemon import daemon_runs
from jackfield.api.errors import Conflict
from jackfield.api.files import private_directory
from jackfield.api.records import record
from jackfield.api.resealing import KEY_USES, SEALED_VALUES
from jackfield.api.storage import ClaimedStore, Store
from jackfield.core.kernel import Kernel
from jackfield.core.key_agreement import LOOK_EVERY
from jackfield.core.keys.derivation import MasterKey
from jackfield.core.keys.record import FACT, KeyRecord, read_record
from jackfield.core.keys.ring import PREVIOUS_VARIABLE, VARIABLE
from jackfield.core.process.lock import DirectoryLock

from .auditing import record_command
from .runtime import Runtime

_T = TypeVar("_T")
_NOTICED = 3 * LOOK_EVERY
"""Seconds until every daemon has noticed that another key seals."""


@record
class ResealedValues:
    """Of one sort of values: how many are sealed with the current key, and a sentence for each that no key opens."""

    name: str
    done: int
    lost: Sequence[str]


@record
class Rotated:
    """fingerprint: of the key that seals now. earlier: how many keys are kept for reading."""

    fingerprint: str
    earlier: int
    values: Sequence[ResealedValues]


@record
class ShownKey:
    """`role`: seals, next, opens, or missing for one that the store knows and that is not here.

    `since`, `until`: Unix ms; None: not known, or not yet.
    """

    fingerprint: str
    role: str
    since: int | None
    until: int | None


@record
class ShownKeys:
    """resealing: a rotation has begun and not ended. former: names of keys that a version before kept in files."""

    keys: Sequence[ShownKey]
    resealing: bool
    former: Sequence[str]


@record
class Forgotten:
    """count: of keys. variable: of the environment, to be removed there; empty: none."""

    count: int
    variable: str


def show(runtime: Runtime, config_dir: Path | None) -> ShownKeys:
    """Raises `ConfigurationError`."""
    return _run(runtime.kernel(config_dir), _shown)


def rotate(runtime: Runtime, config_dir: Path | None) -> Rotated:
    """Raises `ConfigurationError`. Beside a running daemon too."""
    kernel = runtime.kernel(config_dir)
    beside = daemon_runs(kernel.config_dir)

    async def work(kernel: Kernel) -> Rotated:
        shared = beside or not isinstance(kernel.ports.get(Store), ClaimedStore)
        return await _rotated(kernel, _NOTICED if shared else 0)

    with _keys_locked(kernel), nullcontext() if beside else _directory_locked(kernel):
        return _run(kernel, work, CommandAct("key.rotate"))


def forget(runtime: Runtime, config_dir: Path | None, needed: bool) -> Forgotten:
    """needed: forget even keys that something needs. Raises `Conflict` when something does, `ConfigurationError`, also
    when the daemon runs."""
    kernel = runtime.kernel(config_dir)

    async def work(kernel: Kernel) -> Forgotten:
        if not needed:
            await _expect_unneeded(kernel)
        return await _forgotten(kernel)

    with _keys_locked(kernel), _directory_locked(kernel):
        return _run(kernel, work, CommandAct("key.forget"))


def _run(kernel: Kernel, work: Callable[[Kernel], Coroutine[object, object, _T]], act: CommandAct | None = None) -> _T:
    """act: recorded in the audit log, whose stamps have the new key from then on."""

    async def opened() -> _T:
        kernel.secrets.check()
        await kernel.open_store()
        try:
            found = await work(kernel)
            if act is not None:
                await record_command(kernel, act)
            return found
        finally:
            await kernel.tasks.close()
            await kernel.ports.get(Store).close()

    return asyncio.run(opened())


@contextmanager
def _directory_locked(kernel: Kernel) -> Iterator[None]:
    lock = DirectoryLock(kernel.config_dir)
    lock.acquire()
    try:
        kernel.claim_store()
        yield
    finally:
        lock.release()


@contextmanager
def _keys_locked(kernel: Kernel) -> Iterator[None]:
    """Two commands at once would make a key each, and lose one."""
    directory = private_directory(kernel.secrets.ring.directory.path)
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system that locks no directories
            _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Conflict("Another `jackfield keys` is at work; wait until it has ended.") from None


async def _record(kernel: Kernel) -> tuple[str, KeyRecord]:
    """As it is now, and its text."""
    text = await kernel.ports.get(Store).fact(FACT)
    if text is None:
        raise Conflict("The store has lost the note of its master key; run this again.")
    return text, read_record(text)


async def _change(kernel: Kernel, change: Callable[[KeyRecord], KeyRecord]) -> None:
    while True:
        text, found = await _record(kernel)
        if await kernel.ports.get(Store).change_fact(FACT, text, change(found).text()):
            return


async def _rotated(kernel: Kernel, pause: float) -> Rotated:
    """pause: seconds until no daemon seals with the earlier key any more.

    `forget` seals anew the values that one has sealed meanwhile.
    """
    _, found = await _record(kernel)
    target = await asyncio.to_thread(_target, kernel, found)
    if target is not None:
        await _change(
            kernel,
            lambda now: now if now.fingerprint == target else now.replaced_by(target, kernel.clock.now_ms()),
        )
        await asyncio.to_thread(kernel.secrets.ring.choose, target)
        await kernel.clock.sleep(pause)
    values = await _reseal(kernel)
    await _change(kernel, KeyRecord.resealed)
    ring = kernel.secrets.ring
    return Rotated(ring.current().fingerprint, len(ring.earlier()), values)


def _target(kernel: Kernel, found: KeyRecord) -> str | None:
    """Fingerprint of the key that is to seal; None: it does already, and not everything may be sealed with it."""
    ring = kernel.secrets.ring
    configured = ring.configured()
    if configured.fingerprint != found.fingerprint:
        return configured.fingerprint
    if found.resealing or (ring.is_given and ring.earlier()):
        return None
    if ring.is_given:
        raise Conflict(
            f"The master key is in the environment. Put it into {PREVIOUS_VARIABLE} and a new one of at least 32 bytes "
            f"into {VARIABLE}. Start every daemon with both, then run this again with both."
        )
    return ring.directory.replace_master().fingerprint


async def _reseal(kernel: Kernel) -> Sequence[ResealedValues]:
    found: list[ResealedValues] = []
    for values in kernel.context("keys").extensions(SEALED_VALUES).values():
        result = await values.reseal()
        found.append(ResealedValues(values.name, result.done, tuple(result.lost)))
    return found


async def _expect_unneeded(kernel: Kernel) -> None:
    _, found = await _record(kernel)
    ring = kernel.secrets.ring
    if found.resealing or ring.configured().fingerprint != found.fingerprint:
        raise Conflict("A rotation has begun and not ended; run `jackfield keys rotate` to its end first.")
    told = [sentence for values in await _reseal(kernel) for sentence in values.lost]
    replaced_at = max((each.until for each in found.earlier), default=found.since)
    uses = kernel.context("keys").extensions(KEY_USES).values()
    told += [await use.needs_earlier(replaced_at) for use in uses]
    if any(told):
        raise Conflict(
            "Earlier keys may still be needed: " + " ".join(filter(None, told)) + " With --anyway they are forgotten."
        )


async def _forgotten(kernel: Kernel) -> Forgotten:
    ring = kernel.secrets.ring
    count = len(ring.earlier()) + len(ring.directory.former_names())
    await asyncio.to_thread(_remove, kernel)
    await _change(kernel, KeyRecord.forgotten)
    return Forgotten(count, PREVIOUS_VARIABLE if ring.has_previous_variable else "")


def _remove(kernel: Kernel) -> None:
    ring = kernel.secrets.ring
    ring.directory.forget_earlier()
    if ring.is_given:
        ring.directory.forget_master()


async def _shown(kernel: Kernel) -> ShownKeys:
    _, found = await _record(kernel)
    ring = kernel.secrets.ring
    here: dict[str, MasterKey] = {key.fingerprint: key for key in (ring.current(), *ring.earlier())}
    rows = [ShownKey(found.fingerprint, "seals", found.since, None)]
    known = {each.fingerprint: each for each in found.earlier}
    for fingerprint in (name for name in here if name != found.fingerprint and name not in known):
        role = "next" if fingerprint == ring.configured().fingerprint else "opens"
        rows.append(ShownKey(fingerprint, role, None, None))
    for fingerprint, each in known.items():
        role = "opens" if fingerprint in here else "missing"
        rows.append(ShownKey(fingerprint, role, each.since, each.until))
    begun = found.resealing or ring.configured().fingerprint != found.fingerprint
    return ShownKeys(rows, begun, ring.directory.former_names())
