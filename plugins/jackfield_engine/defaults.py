"""The defaults of workflows that say nothing else."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield_engine.settings import ExecutionsSettings


class SettingsDefaults:
    """`ExecutionDefaults` of the table `executions`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def timezone(self) -> str:
        return self._context.settings(ExecutionsSettings).timezone
