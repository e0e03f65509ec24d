"""`jackfield rotate-key`: a new encryption key, and everything sealed with it.

The earlier key stays beside the new one until the last value is done, so that an end at any moment loses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.records import record
from jackfield.api.resealing import SEALED_VALUES
from jackfield.core.kernel import Kernel
from jackfield.core.lock import DirectoryLock

from .runtime import Runtime


@record
class ResealedValues:
    """Of one sort of values: how many are sealed anew, and a sentence for each that no key opens."""

    name: str
    done: int
    lost: Sequence[str]


def rotate(runtime: Runtime, config_dir: Path | None) -> list[ResealedValues]:
    """Raises `ConfigurationError`, also when the daemon runs."""
    kernel = runtime.kernel(config_dir)
    lock = DirectoryLock(kernel.config_dir)
    lock.acquire()
    try:
        kernel.claim_store()
        kernel.secrets.check()
        kernel.secrets.encryption.replace()
        found = asyncio.run(_reseal(kernel))
        kernel.secrets.encryption.forget()
    finally:
        lock.release()
    return found


async def _reseal(kernel: Kernel) -> list[ResealedValues]:
    context = kernel.context("rotate-key")
    await kernel.open_store()
    found: list[ResealedValues] = []
    try:
        for values in context.extensions(SEALED_VALUES).values():
            result = await values.reseal()
            found.append(ResealedValues(values.name, result.done, tuple(result.lost)))
    finally:
        await kernel.tasks.close()
        await context.store.close()
    return found
