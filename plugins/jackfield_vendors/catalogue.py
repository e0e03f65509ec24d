"""Nodes by kind without reading the shipped descriptions: those are read when they are used first, so that a start
costs nothing. The operator's files in `nodes.d/` are read at the start, so that a mistake in them shows there."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun, NodeType
from jackfield.api.workflows import Node

if TYPE_CHECKING:
    from jackfield.api.credentials import CredentialKind
    from jackfield_vendors.library import Library

SHIPPED = Path(__file__).with_name("descriptions")
KINDS = tuple(
    sorted(path.stem.replace("__", "/") for path in SHIPPED.glob("*.toml") if not path.stem.startswith("credentials"))
)
"""Shipped nodes; each is in the file of its name, with `__` for the `/` of a scoped package."""


class Catalogue:
    """What one daemon has."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def own(self) -> Library | None:
        """The operator's; None when there are none."""
        directory = self._context.service.config_dir / "nodes.d"
        if not directory.is_dir() or not any(directory.iterdir()):
            return None
        from jackfield_vendors.library import load

        return load(self._context, directory)

    @cached_property
    def shipped_kinds(self) -> Sequence[CredentialKind]:
        from jackfield_vendors.library import kinds_in

        return kinds_in(SHIPPED)

    def nodes(self) -> list[NodeType]:
        """The operator's win over shipped ones of the same kind."""
        own: list[NodeType] = list(self.own.nodes) if self.own else []
        taken = {node.kind for node in own}
        return [*own, *(ShippedNode(kind, self._context) for kind in KINDS if kind not in taken)]


class ShippedNode:
    """Stands for a shipped node until it is used."""

    versions: Sequence[float]
    description: NodeDescription
    effect = True

    def __init__(self, kind: str, context: PluginContext) -> None:
        self.kind = kind
        self._context = context

    def __getattr__(self, name: str) -> object:
        if name not in {"versions", "description"}:
            raise AttributeError(name)
        return getattr(self._node, name)

    @cached_property
    def _node(self) -> NodeType:
        from jackfield_vendors.library import node_in

        return node_in(self._context, SHIPPED / f"{self.kind.replace('/', '__')}.toml")

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._node.parameters(version)

    def outputs(self, node: Node) -> int:
        return 1

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        return self._node.execute(run)


_catalogues: dict[Path, Catalogue] = {}


def catalogue_of(context: PluginContext) -> Catalogue:
    """The one catalogue of this daemon."""
    return _catalogues.setdefault(context.service.config_dir, Catalogue(context))


def forget(context: PluginContext) -> None:
    """At the daemon's end."""
    _catalogues.pop(context.service.config_dir, None)
