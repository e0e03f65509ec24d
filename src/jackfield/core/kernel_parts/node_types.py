"""Putting the node types of plugins into the catalog, at the start and when a plugin's have changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jackfield.api.credentials import CREDENTIAL_KINDS
from jackfield.api.nodes import NodeOffer

from ..catalog import Catalog
from ..checks.precedence import Precedence
from ..plugins import PluginHost
from ..ports import Extensions

_HOOK = "jackfield_nodes"


class NodeTypes:
    """`jackfield.api.nodes.changing.ChangingNodes`."""

    def __init__(self, plugins: PluginHost, precedence: Precedence, catalog: Catalog, extensions: Extensions) -> None:
        self._plugins = plugins
        self._precedence = precedence
        self._catalog = catalog
        self._extensions = extensions
        self.renewals = 0

    def assemble(self) -> None:
        """Ask every plugin."""
        self._put(self._plugins.sequence(_HOOK))

    def renew(self, plugin: str) -> None:
        given = [(name, node) for name, node in self._plugins.sequence(_HOOK) if name == plugin]
        for kind in self._catalog.kinds():
            if self._precedence.owner(f"node:{kind}") == plugin:
                self._catalog.remove(kind)
                self._precedence.release(plugin, f"node:{kind}")
        self._put(given)
        self._extensions.forget(CREDENTIAL_KINDS)
        self.renewals += 1

    def _put(self, given: Iterable[tuple[str, Any]]) -> None:  # Any: whatever a plugin gives
        """Those that the operator has installed by name come last: they take the place of others."""
        for name, node in sorted(given, key=lambda one: self._is_chosen(*one)):
            try:
                self._catalog.check(node)
                claim = self._precedence.choose if self._is_chosen(name, node) else self._precedence.claim
                if claim(name, f"node:{node.kind}"):
                    self._catalog.add(node)
            except BaseException as exc:
                self._plugins.failed(name, exc, f"failed in {_HOOK}")

    def _is_chosen(self, plugin: str, node: object) -> bool:
        """Another's object is not even asked for its class, which may do anything."""
        return self._plugins.is_own(plugin) and isinstance(node, NodeOffer) and node.chosen is True
