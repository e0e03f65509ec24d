"""Backups that the daemon makes by itself, and whether they come."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.clock import from_iso
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import JackfieldError
from jackfield_backup.making import make_backup, settings_place
from jackfield_backup.manifest import BackupError
from jackfield_backup.repository import BackupRepository
from jackfield_backup.settings import BackupSettings

RETRY = 3600
"""Seconds after which a failed backup is tried again, unless the interval is shorter."""


async def forever(context: PluginContext) -> None:
    """One backup per interval, counted from the newest that is there: restarts move nothing."""
    settings = context.settings(BackupSettings)
    place = settings_place(context, None)
    while True:
        last = await asyncio.to_thread(_newest, BackupRepository(place))
        due = (last or 0) + settings.interval * 1000
        await context.clock.sleep(max(0.0, min(settings.interval, (due - context.clock.now_ms()) / 1000)))
        try:
            made = await make_backup(context, place, keys=settings.keys, keep=settings.keep)
        except JackfieldError as exc:
            context.log.error("The backup failed: %s", exc.message)
            await context.clock.sleep(min(RETRY, settings.interval))
        except Exception:
            context.log.exception("The backup failed.")
            await context.clock.sleep(min(RETRY, settings.interval))
        else:
            context.log.info("Backup %s: %d bytes are new.", made.manifest.id, made.added)
            if made.damaged:
                told = "The backup %s holds %d damaged records, so that no older one was removed: %s"
                context.log.error(told, made.manifest.id, len(made.damaged), made.damaged[0])


async def findings(context: PluginContext) -> Sequence[Finding]:
    """For `jackfield doctor`: whether the backups that the settings want are there."""
    settings = context.settings(BackupSettings)
    place = settings_place(context, None)
    last = await asyncio.to_thread(_newest, BackupRepository(place))
    if last is None:
        wanted = settings.interval > 0
        return [Finding("backup", not wanted, f"none in {place}; make one with `jackfield backup`")]
    age = max(0, context.clock.now_ms() - last) // 1000
    late = bool(settings.interval) and age > 2 * settings.interval
    remedy = "; look for 'The backup failed' in the log" if late else ""
    return [Finding("backup", not late, f"the newest in {place} is {age // 3600} h old{remedy}")]


def _newest(repository: BackupRepository) -> int | None:
    """When it was made, Unix milliseconds; None without one that can be read."""
    for backup in reversed(repository.ids()):
        try:
            return from_iso(repository.manifest(backup).created_at)
        except (BackupError, OSError, ValueError):
            continue
    return None
