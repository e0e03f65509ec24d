"""OpenTelemetry: runs of agents, executions of workflows and requests of proxies go to a collector, where
`telemetry.otlp_endpoint` is set.

The library is an extra (`otel`), loaded with the first run or execution; it exports on its own threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from jackfield.api.diagnosis import Finding
from jackfield.api.object_references import load
from jackfield.api.telemetry import TELEMETRY_SINKS, ExecutionEnded, ProxiedRequest, RunEnded, Span
from jackfield_telemetry.settings import TelemetrySettings

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.telemetry import TelemetryRecord, TelemetrySink
    from jackfield_telemetry.otel.exporter import OtelExporter

MISSING = (
    "telemetry.otlp_endpoint is set, but the OpenTelemetry library is not installed, so that nothing is exported. "
    "Install it with: pip install 'jackfield[otel]'"
)


class OtlpSink:
    """`TelemetrySink` of one daemon."""

    name = "otlp"
    takes = frozenset({RunEnded, ExecutionEnded, ProxiedRequest, Span})

    def __init__(self, context: PluginContext, settings: TelemetrySettings) -> None:
        self._context, self._settings = context, settings
        self._making: asyncio.Task[OtelExporter | None] | None = None
        self._closed = False
        context.secrets.redact(*settings.otlp_headers.values())

    async def take(self, batch: Sequence[TelemetryRecord]) -> None:
        if (exporter := await self._exporter()) is not None:
            await asyncio.to_thread(exporter.export, batch)

    async def close(self) -> None:
        """Waiting records get `telemetry.otlp_timeout` to leave."""
        self._closed = True
        exporter = await self._making if self._making is not None else None
        if exporter is not None:
            await asyncio.to_thread(exporter.close, self._settings.otlp_timeout)

    async def _exporter(self) -> OtelExporter | None:
        """None: there is none, and the log has said so. Made once."""
        if self._closed:
            return None
        if self._making is None:
            self._making = asyncio.create_task(self._made())
        return await asyncio.shield(self._making)

    async def _made(self) -> OtelExporter | None:
        try:
            return await asyncio.to_thread(_load, self._settings, self._context.service.version)
        except ImportError:
            self._context.log.warning(MISSING)
        except Exception as exc:  # a library of a stranger, and its variables
            self._context.log.error("OpenTelemetry cannot be used: %s: %s", type(exc).__name__, exc)
        return None


def _load(settings: TelemetrySettings, version: str) -> OtelExporter:
    """With the library, which an import at the top would load at every start."""
    exporter = cast("type[OtelExporter]", load("jackfield_telemetry.otel.exporter:OtelExporter"))
    return exporter(settings, version)


def sinks(context: PluginContext) -> Sequence[TelemetrySink]:
    """The collector, where one is set."""
    settings = context.settings(TelemetrySettings)
    return [OtlpSink(context, settings)] if settings.otlp_endpoint else []


def own_sinks(context: PluginContext) -> Sequence[OtlpSink]:
    """Those of these that the daemon has taken."""
    return [sink for sink in context.extensions(TELEMETRY_SINKS).values() if isinstance(sink, OtlpSink)]


def findings(context: PluginContext) -> Sequence[Finding]:
    """Nothing where no endpoint is set."""
    if not own_sinks(context):
        return []
    if not installed():
        return [Finding("usage", False, MISSING)]
    return [Finding("usage", True, "OpenTelemetry is installed and has an endpoint")]


def installed() -> bool:
    try:
        return (
            find_spec("opentelemetry.exporter.otlp.proto.http") is not None
            and find_spec("opentelemetry.sdk") is not None
        )
    except ImportError:
        return False
