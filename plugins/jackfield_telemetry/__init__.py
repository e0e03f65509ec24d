"""Usage: tokens and cost from agents' logs, the log of sessions, reports and export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding, Metric
    from jackfield.api.telemetry import TelemetrySink, Usage, UsageReader


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_telemetry.settings import TelemetrySettings

    return [SettingsTable("telemetry", TelemetrySettings)]


@hookimpl
def jackfield_usage(context: PluginContext) -> Usage:
    from jackfield_telemetry.port import UsagePort

    return UsagePort(context)


@hookimpl
def jackfield_usage_readers() -> Sequence[UsageReader]:
    from jackfield_telemetry.readers.claude import ClaudeReader
    from jackfield_telemetry.readers.codex import CodexReader
    from jackfield_telemetry.readers.opencode import OpenCodeReader

    return [ClaudeReader(), CodexReader(), OpenCodeReader()]


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_telemetry.report_routes import blueprint
    from jackfield_telemetry.routes import blueprints

    return [*blueprints(context), blueprint(context)]


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_telemetry import filing_commands
    from jackfield_telemetry.commands import usage

    filing_commands.add_to(usage)
    return [usage]


@hookimpl
def jackfield_telemetry_sinks(context: PluginContext) -> Sequence[TelemetrySink]:
    from jackfield_telemetry.otel import sink
    from jackfield_telemetry.run_counts import RunCounts

    return [RunCounts(), *sink(context)]


@hookimpl
async def jackfield_findings(context: PluginContext) -> Sequence[Finding]:
    from jackfield_telemetry import otel
    from jackfield_telemetry.findings import findings

    return [*await findings(context), *otel.findings(context)]


@hookimpl
def jackfield_metrics(context: PluginContext) -> Sequence[Metric]:
    from jackfield_telemetry import run_counts
    from jackfield_telemetry.port import metrics

    return [*metrics(context), *run_counts.metrics(context)]


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    from jackfield_telemetry import background, port

    port.start(context)
    background.start(context)


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_telemetry import background, port

    await background.stop(context)
    await port.stop(context)
