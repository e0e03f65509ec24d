"""Messages that executions of this process are to acknowledge themselves, with a RabbitMQ node."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext


class OpenDeliveries:
    """By execution. Part of the plugin; as many as brokers send ahead."""

    def __init__(self, context: PluginContext) -> None:
        self._open: dict[str, asyncio.Event] = {}

    def begin(self, execution_id: str) -> asyncio.Event:
        """Set when the execution has asked for it."""
        return self._open.setdefault(execution_id, asyncio.Event())

    def end(self, execution_id: str) -> None:
        self._open.pop(execution_id, None)

    def acknowledge(self, execution_id: str) -> None:
        """Nothing for an execution that no message has started here: its end decides."""
        found = self._open.get(execution_id)
        if found is not None:
            found.set()
