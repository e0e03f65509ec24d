"""Installed packages, and the node types that they give."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.nodes import NodeOffer
from jackfield_community_nodes.packages import (
    InstalledPackage,
    PackageDescription,
    by_name,
    read_description,
    read_index,
    root_of,
)

_MAKER = "jackfield_community_nodes.nodes.making:made"


class Library:
    """The packages of this host, as the index had them when it was read last."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._packages: Mapping[str, InstalledPackage] | None = None
        self._descriptions: dict[str, PackageDescription] = {}

    def packages(self) -> Mapping[str, InstalledPackage]:
        """By name. Blocks when it is asked first."""
        with self._lock:
            if self._packages is None:
                self._packages = by_name(self._read())
            return self._packages

    def _read(self) -> Sequence[InstalledPackage]:
        try:
            return read_index(self._context).packages
        except ConfigurationError as exc:
            self._context.log.error("Community nodes are not there. %s", exc.message)
            return ()

    def reread(self) -> bool:
        """Read the index again. Whether anything is another now. Blocks."""
        found = by_name(self._read())
        with self._lock:
            changed = found != (self._packages or {})
            self._packages = found
            if changed:
                self._descriptions.clear()
        return changed

    def description(self, package: InstalledPackage) -> PackageDescription:
        """Blocks when it is asked first. Raises `ConfigurationError`."""
        found = self._descriptions.get(package.directory)
        if found is None:
            found = self._descriptions[package.directory] = read_description(root_of(self._context, package))
        return found


def node_offers(context: PluginContext) -> Sequence[NodeOffer]:
    """Each is made when a workflow or an editor asks for it first."""
    return [
        NodeOffer(node.kind, _MAKER, (context, package.name, node.kind), chosen=True)
        for package in context.port(Library).packages().values()
        for node in package.nodes
    ]
