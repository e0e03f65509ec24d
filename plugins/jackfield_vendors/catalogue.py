"""Nodes by kind without reading the shipped descriptions: those are read when they are used first, so that a start
costs nothing. The operator's files in `nodes.d/` are read at the start, so that a mistake in them shows there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer, NodeType
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield.api.credentials import CredentialKind
    from jackfield_vendors.library import DescriptionLibrary
    from jackfield_vendors.outlines import VendorOutlines

_MAKER = "jackfield_vendors.library:node_in"
_READER = "jackfield_vendors.library:load"
_OUTLINES = "jackfield_vendors.outlines:VendorOutlines"
_KINDS_IN = "jackfield_vendors.library:kinds_in"
"""By object reference: a start reads no description."""
SHIPPED = Path(__file__).with_name("descriptions")
KINDS = tuple(
    sorted(path.stem.replace("__", "/") for path in SHIPPED.glob("*.toml") if not path.stem.startswith("credentials"))
)
"""Shipped nodes; each is in the file of its name, with `__` for the `/` of a scoped package."""


def description_file(kind: str) -> Path:
    return SHIPPED / f"{kind.replace('/', '__')}.toml"


class Catalogue:
    """The node types and credential kinds that one daemon makes of its descriptions."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def own(self) -> DescriptionLibrary | None:
        """The operator's; None when there are none."""
        directory = self._context.service.config_dir / "nodes.d"
        if not directory.is_dir() or not any(directory.iterdir()):
            return None
        read = cast("Callable[[PluginContext, Path], DescriptionLibrary]", load(_READER))
        return read(self._context, directory)

    @cached_property
    def shipped_kinds(self) -> Sequence[CredentialKind]:
        return cast("Callable[[Path], Sequence[CredentialKind]]", load(_KINDS_IN))(SHIPPED)

    def nodes(self) -> list[NodeType | NodeOffer]:
        """The operator's win over shipped ones of the same kind."""
        own: list[NodeType | NodeOffer] = list(self.own.nodes) if self.own else []
        taken = {node.kind for node in own}
        return [*own, *(self._offer(kind) for kind in KINDS if kind not in taken)]

    def _offer(self, kind: str) -> NodeOffer:
        file = description_file(kind)
        return NodeOffer(kind, _MAKER, (self._context, file), outline=lambda: self._outlines.of(kind, file))

    @cached_property
    def _outlines(self) -> VendorOutlines:
        return cast("type[VendorOutlines]", load(_OUTLINES))()


def nodes(context: PluginContext) -> Sequence[NodeType | NodeOffer]:
    return context.port(Catalogue).nodes()


def credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:
    """The operator's win over shipped ones of the same name."""
    found = context.port(Catalogue)
    own = list(found.own.kinds) if found.own else []
    taken = {kind.name for kind in own}
    return [*own, *(kind for kind in found.shipped_kinds if kind.name not in taken)]
