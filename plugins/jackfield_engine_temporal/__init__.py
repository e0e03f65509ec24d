"""The engine over Temporal, for those who operate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin, SettingsTable, deferred, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding
    from jackfield_engine_temporal.engine import TemporalEngine


class TemporalEnginePlugin(Plugin):
    """The engine over Temporal, for those who operate it."""

    name = "engine_temporal"
    settings = (SettingsTable("engine.temporal", "jackfield_engine_temporal.settings:TemporalSettings"),)

    _make = deferred("jackfield_engine_temporal.making:temporal_engine")

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._engine: TemporalEngine | None = None

    @hookimpl
    def jackfield_engine(self) -> Offer:
        """The library is imported for those who have chosen it."""
        return Offer("temporal", self._made)

    @hookimpl
    def jackfield_standing(self) -> Sequence[Finding]:
        """Whether Temporal's server answers, as far as this daemon knows."""
        return [] if self._engine is None else [self._engine.standing()]

    @hookimpl
    async def jackfield_findings(self) -> Sequence[Finding]:
        """Whether Temporal's server answers now."""
        return [] if self._engine is None else [await self._engine.diagnose()]

    def _made(self) -> TemporalEngine:
        engine: TemporalEngine = self._make()
        self._engine = engine
        return engine
