"""The findings of `jackfield doctor` about providers."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.providers import Providers


async def findings(context: PluginContext) -> Sequence[Finding]:
    """How many there are, and which manifests are broken."""
    catalog = context.port(Providers)
    known = await catalog.all()
    broken = [Finding("provider manifests", False, warning) for warning in catalog.warnings()]
    return [Finding("providers", True, f"{len(known)} known"), *broken]
