"""`jackfield rotate-key`: a new encryption key, and everything sealed with it.

The earlier key stays beside the new one until the last value is done, so that an end at any moment loses nothing.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from jackfield.api.cli import harmless
from jackfield.api.resealing import SEALED_VALUES
from jackfield.core.kernel import Kernel
from jackfield.core.lock import DirectoryLock

from .runtime import Runtime


def rotate(runtime: Runtime, config_dir: Path | None) -> None:
    """Raises `ConfigurationError`, also when the daemon runs."""
    kernel = runtime.kernel(config_dir)
    lock = DirectoryLock(kernel.config_dir)
    lock.acquire()
    try:
        kernel.claim_store()
        kernel.secrets.check()
        kernel.secrets.encryption.replace()
        lost = asyncio.run(_reseal(kernel))
        kernel.secrets.encryption.forget()
    finally:
        lock.release()
    click.echo("The earlier encryption key is gone. Backups of before need it: they hold it, if they hold keys.")
    if lost:
        raise SystemExit(1)


async def _reseal(kernel: Kernel) -> int:
    """How many values no key opens."""
    context = kernel.context("rotate-key")
    await kernel.open_store()
    lost = 0
    try:
        for values in context.extensions(SEALED_VALUES).values():
            found = await values.reseal()
            click.echo(f"{values.name}: {found.done} sealed anew")
            for sentence in found.lost:
                click.echo(harmless(sentence), err=True)
            lost += len(found.lost)
    finally:
        await kernel.tasks.close()
        await context.store.close()
    return lost
