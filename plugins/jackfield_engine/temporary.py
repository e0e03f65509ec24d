"""Engines for runs that nobody asks for later: those of `jackfield workflow run`, and looks at what parts give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine
from jackfield.api.nodes import NodeCatalog
from jackfield.api.storage import Store
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.ephemeral import EphemeralStore
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.figures import EngineFigures

if TYPE_CHECKING:
    from pydantic import BaseModel

PortT = TypeVar("PortT")
ModelT = TypeVar("ModelT", bound="BaseModel")


class TemporaryContext:
    """The plugin's context with another store and another catalogue of nodes; all else is the plugin's own."""

    def __init__(self, context: PluginContext, store: Store, nodes: NodeCatalog) -> None:
        self._context = context
        self._own: dict[object, object] = {Store: store, NodeCatalog: nodes, EngineFigures: EngineFigures(context)}
        self.store = store

    def port(self, protocol: Callable[..., PortT]) -> PortT:
        """See `PluginContext`."""
        found = self._own.get(protocol)
        return self._context.port(protocol) if found is None else cast("PortT", found)

    def settings(self, model: type[ModelT]) -> ModelT:
        """See `PluginContext`. No file of a run is left behind."""
        found = self._context.settings(model)
        if isinstance(found, ExecutionsSettings):
            return cast("ModelT", found.model_copy(update={"spill_bytes": 0}))
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)


class EmbeddedTemporaryEngines:
    """`TemporaryEngines`"""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def make(self, nodes: NodeCatalog) -> Engine:
        store = cast("Store", EphemeralStore(self._context.store))
        return EmbeddedEngine(cast("PluginContext", TemporaryContext(self._context, store, nodes)))
