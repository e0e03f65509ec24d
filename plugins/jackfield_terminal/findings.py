"""The findings of `jackfield doctor` about terminals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import Profiles
from jackfield_terminal.persistent.restoring import findings as of_supervisors
from jackfield_terminal.sandbox.bubblewrap import Sandbox
from jackfield_terminal.settings import TerminalSettings
from jackfield_terminal.starting import directory_of_ptyprocess

SUBJECT = "sandbox"
SPAWNER = "terminals"


async def try_sandbox(context: PluginContext) -> None:
    """In the background of a daemon that has started. Names the reason when there can be no sandbox."""
    reason = await Sandbox(context).unavailable()
    if reason is None:
        return
    wanting = [profile.alias for profile in await context.port(Profiles).all() if profile.sandbox != "off"]
    if wanting:
        context.log.warning("Sessions of %s cannot be started in their sandbox: %s", _named(wanting), reason)
    else:
        context.log.info("Profiles cannot have a sandbox here: %s", reason)


async def findings(context: PluginContext) -> Sequence[Finding]:
    return [
        *await _of_sandboxes(context),
        *_of_the_spawner(context),
        *await asyncio.to_thread(of_supervisors, context.service.config_dir),
    ]


def _of_the_spawner(context: PluginContext) -> Sequence[Finding]:
    if context.settings(TerminalSettings).spawner != "ptyprocess":
        return []
    try:
        directory_of_ptyprocess()
    except InvalidInput as exc:
        return [Finding(SPAWNER, False, exc.message)]
    return [Finding(SPAWNER, True, "ptyprocess is installed")]


async def _of_sandboxes(context: PluginContext) -> Sequence[Finding]:
    reason = await Sandbox(context).unavailable()
    if reason is None:
        return [Finding(SUBJECT, True, "bubblewrap works")]
    wanting = [profile.alias for profile in await context.port(Profiles).all() if profile.sandbox != "off"]
    if not wanting:
        return [Finding(SUBJECT, True, f"no profile wants one; it would not work here: {reason}")]
    remedy = "Install bubblewrap or set sandbox to off"
    return [Finding(SUBJECT, False, f"{_named(wanting)} cannot be started: {reason} {remedy}")]


def _named(aliases: Sequence[str]) -> str:
    return ", ".join(aliases[:5]) + (", ..." if len(aliases) > 5 else "")
