"""Old hours become days, and what is too old is forgotten."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.projects import whole_store
from jackfield.api.storage.insights import DAY_MS
from jackfield_insights.settings import InsightsSettings


def start(context: PluginContext) -> None:
    context.spawn("compact insights", compact_forever(context, context.settings(InsightsSettings)))


async def compact_forever(context: PluginContext, settings: InsightsSettings) -> None:
    """Several daemons may do it: it changes nothing twice."""
    while True:
        await context.clock.sleep(settings.compact_interval)
        today = context.clock.now_ms() // DAY_MS
        try:
            await whole_store(context.store).compact_insights(
                max(0, today - settings.hourly_days) * DAY_MS, max(0, today - settings.max_age_days) * DAY_MS
            )
        except StoreUnavailable:
            context.log.warning("Insights could not be made smaller; it is tried again later.")
