"""How commands use the parts of the plugin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from jackfield.api.cli import Cli, echo_warning
from jackfield.api.context import PluginContext
from jackfield_telemetry.reports.periods import span_of, zone_of
from jackfield_telemetry.reports.queries import UsageFilter
from jackfield_telemetry.service import UsageService, close

T = TypeVar("T")
PLUGIN = "telemetry"


def ask(cli: Cli, work: Callable[[UsageService], Awaitable[T]], config_dir: Path | None) -> T:
    """Let the parts of the plugin do something, and close the ledger."""

    async def run(context: PluginContext) -> T:
        try:
            return await work(context.port(UsageService))
        finally:
            await close(context)

    return cli.run(PLUGIN, run, config_dir=config_dir)


def filter_of(service: UsageService, period: str, narrowed: dict[str, str]) -> UsageFilter:
    """From the options of a command. Raises `InvalidInput`."""
    span = span_of(period, service.context.clock.now_ms(), zone_of(narrowed["tz"]))
    profile, model, agent, provider = (narrowed[name] for name in ("profile", "model", "agent", "provider"))
    return UsageFilter(span, profile, model, agent, provider)


def tell(warnings: Sequence[str], unpriced: Sequence[str] = ()) -> None:
    """On standard error: what is damaged, and what has no price."""
    for sentence in warnings:
        echo_warning(sentence)
    if unpriced:
        echo_warning(f"the price of {', '.join(unpriced)} is not known; it is in no cost.")
