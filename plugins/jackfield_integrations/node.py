"""What the nodes of this plugin share."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters
from jackfield.api.workflows import Node
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets


class IntegrationNode:
    """A node with one output whose runs change the world outside."""

    kind: str
    versions: Sequence[float]
    description: NodeDescription
    effect = True
    model: type[NodeParameters]

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._slots: asyncio.Semaphore | None = None
        self._targets: Targets | None = None

    @property
    def settings(self) -> IntegrationSettings:
        return self._context.settings(IntegrationSettings)

    @property
    def targets(self) -> Targets:
        if self._targets is None:
            self._targets = Targets(self.settings)
        return self._targets

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self.model

    def outputs(self, node: Node) -> int:
        return 1

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One of the connections that nodes of this kind may hold, for as long as a run may take. Raises
        `NodeError`."""
        if self._slots is None:
            self._slots = asyncio.Semaphore(self.settings.max_connections)
        limit = self.settings.timeout
        deadline = asyncio.timeout(limit)
        try:
            async with deadline, self._slots:
                yield
        except TimeoutError:
            if not deadline.expired():
                raise
            raise NodeError(f"The node took longer than {limit:g} seconds (integrations.timeout).") from None
