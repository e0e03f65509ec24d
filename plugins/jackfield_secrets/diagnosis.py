"""Lines of `jackfield doctor` about sources of secrets."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.secret_sources import SecretProblem
from jackfield_secrets.service import NamedSource, SecretSources


async def findings(context: PluginContext) -> Sequence[Finding]:
    """One for each source; they are asked side by side."""
    sources = context.port(SecretSources)
    named = [await asyncio.to_thread(sources.named, name) for name in sources.known]
    return await asyncio.gather(*(_finding(sources, each) for each in named))


async def _finding(sources: SecretSources, named: NamedSource) -> Finding:
    subject = f"secrets {named.name}"
    try:
        return Finding(subject, True, await sources.test(named))
    except SecretProblem as exc:
        return Finding(subject, False, exc.message)
