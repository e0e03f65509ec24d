"""The findings of `jackfield doctor` about usage."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_telemetry.importing.compiled import reader_sentence
from jackfield_telemetry.otel import sink
from jackfield_telemetry.service import UsageService


async def findings(context: PluginContext) -> Sequence[Finding]:
    return [*await asyncio.to_thread(_look, context.port(UsageService)), *sink.findings(context)]


def _look(service: UsageService) -> list[Finding]:
    trouble = service.ledger.check()
    service.ledger.trouble = service.ledger.trouble or trouble
    priced = len(service.pricing().table)
    if service.log.path.exists():
        service.settle()
    found = [Finding("usage", False, warning) for warning in service.warnings()]
    found = found or [Finding("usage", True, f"ledger and log can be read; prices of {priced} models")]
    return [*found, Finding("usage", True, reader_sentence())]
