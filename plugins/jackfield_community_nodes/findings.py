"""The lines of `jackfield doctor` about community nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.scripts import ScriptError
from jackfield_community_nodes.library import Library
from jackfield_community_nodes.processes.pools import PackageProcesses

SUBJECT = "community nodes"


async def findings(context: PluginContext) -> Sequence[Finding]:
    packages = await asyncio.to_thread(context.port(Library).packages)
    if not packages:
        return []
    try:
        await context.port(PackageProcesses).program()
    except ScriptError as exc:
        return [Finding(SUBJECT, False, exc.message)]
    broken = [package.name for package in packages.values() if package.problems]
    if broken:
        return [Finding(SUBJECT, True, f"{len(packages)} packages; parts of {', '.join(broken)} cannot be used")]
    return [Finding(SUBJECT, True, f"{len(packages)} packages")]
