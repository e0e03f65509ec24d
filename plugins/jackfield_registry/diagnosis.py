"""The findings of `jackfield doctor` about the registry."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_registry.service import RegistryService
from jackfield_registry.settings import RegistrySettings

SUBJECT = "registry"
NAMED = 5
"""Damaged files that are named; more are counted."""


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Reads everything that was synced."""
    url = context.settings(RegistrySettings).url
    return await asyncio.to_thread(_findings, context.port(RegistryService), url)


def _findings(service: RegistryService, url: str) -> list[Finding]:
    look = service.look()
    found = [Finding(SUBJECT, False, sentence) for sentence in look.damage]
    if look.folder is not None:
        found.append(_verified(service.problems(look.folder), str(look.commit)))
    elif url:
        found.append(Finding(SUBJECT, True, "nothing was synced yet: jackfield registry sync"))
    else:
        found.append(Finding(SUBJECT, True, "not used (registry.url is not set)"))
    own = service.content.foreign_prices()
    if own is not None:
        found.append(Finding(SUBJECT, True, f"{own} is your own and counts before the registry's prices"))
    return found


def _verified(problems: list[str], commit: str) -> Finding:
    if not problems:
        return Finding(SUBJECT, True, f"commit {commit} is complete and unchanged")
    more = f" and {len(problems) - NAMED} more" if len(problems) > NAMED else ""
    named = "; ".join(problems[:NAMED])
    return Finding(SUBJECT, False, f"{named}{more}: fetch it again with jackfield registry sync --force")
