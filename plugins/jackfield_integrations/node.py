"""The common part of this plugin's nodes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeRun, NodeUnavailable
from jackfield.api.nodes.items import accepted, error_item, goes_on
from jackfield.api.nodes.running import FAILURES
from jackfield.api.workflows import Items, Node
from jackfield_integrations.libraries import sessions_of
from jackfield_integrations.secret_values import credential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

Model = TypeVar("Model")
Session = TypeVar("Session")


class NodeOutOfTime(NodeUnavailable):
    """The run took longer than `integrations.timeout`."""


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
        `NodeOutOfTime`."""
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
            raise NodeOutOfTime(f"The node took longer than {limit:g} seconds (integrations.timeout).") from None

    async def opening(self, run: NodeRun, kind: CredentialKind) -> AbstractAsyncContextManager[Any]:
        """A session with the node's credential of this kind, which is opened when it is entered; of the node's class
        module, hence Any. Raises `NodeError`."""
        values = await credential(run, kind)
        sessions = await sessions_of(kind)
        opened: AbstractAsyncContextManager[Any] = sessions.opened(self.targets, values, self.settings)
        return opened

    async def through(
        self,
        run: NodeRun,
        resolved: Sequence[Model],
        opened: AbstractAsyncContextManager[Session],
        work: Callable[[Session, int, Model], Awaitable[Items]],
    ) -> Items:
        """The items that `work` makes of each input item through one connection. When the time is over, the items that
        had their turn keep their results. Raises `NodeError`, also when there is no connection."""
        made: Items = []
        ended = 0
        try:
            async with self.slot(), opened as session:
                for index, parameters in enumerate(resolved):
                    try:
                        made += await work(session, index, parameters)
                    except FAILURES as exc:
                        made.append(error_item(accepted(run, exc, index), index))
                    ended = index + 1
        except NodeOutOfTime as exc:
            if not goes_on(run):
                raise
            made += [error_item(exc, index) for index in range(ended, len(resolved))]
        return made
