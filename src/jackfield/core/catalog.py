"""Node types by kind; what is only offered is made when it is used first."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import cast

from jackfield.api.nodes import TOOL_FORM, NodeOffer, NodeOutline, NodeType
from jackfield.api.object_references import load

from .checks.node_values import node_mistakes, offer_mistakes
from .checks.protocols import ProtocolMismatch, require

_log = logging.getLogger(__name__)


class Catalog:
    """`jackfield.api.nodes.NodeCatalog`. failed: told of an offer that cannot be kept, with its kind."""

    def __init__(self, failed: Callable[[str, BaseException], None]) -> None:
        self._known: dict[str, NodeType | NodeOffer] = {}
        self._replaced: dict[str, NodeType | NodeOffer] = {}
        """The entries that an offer took the place of: one counts again when the offer cannot be kept."""
        self._failed = failed
        self._making = threading.RLock()

    @staticmethod
    def check(node: NodeType | NodeOffer) -> None:
        """Raises `ProtocolMismatch`."""
        if isinstance(node, NodeOffer):
            require(node, NodeOffer, offer_mistakes)
        else:
            require(node, NodeType, node_mistakes)

    def add(self, node: NodeType | NodeOffer) -> None:
        """Put a node type that `check` has let pass in the place of one of its kind."""
        if (known := self._known.get(node.kind)) is not None:
            self._replaced[node.kind] = known
        self._known[node.kind] = node

    def remove(self, kind: str) -> None:
        """Forget the node type; the one whose place it took counts again."""
        with self._making:
            self._known.pop(kind, None)
            if (replaced := self._replaced.pop(kind, None)) is not None:
                self._known[kind] = replaced

    def kinds(self) -> Sequence[str]:
        """Of every registered node type; none is made to tell."""
        return list(self._known)

    def find(self, kind: str) -> NodeType | None:
        found = self._made(kind)
        if found is None and kind.endswith(TOOL_FORM):
            found = self._made(kind.removesuffix(TOOL_FORM))
            return None if found is None or found.description.trigger else found
        return found

    def all(self) -> Sequence[NodeType]:
        return [node for kind in list(self._known) if (node := self._made(kind)) is not None]

    def outlines(self) -> Sequence[NodeOutline]:
        return [outline for kind in list(self._known) if (outline := self._outline(kind)) is not None]

    def outline(self, kind: str) -> NodeOutline | None:
        return self._outline(kind)

    def _outline(self, kind: str) -> NodeOutline | None:
        known = self._known.get(kind)
        if isinstance(known, NodeOffer) and known.outline is not None:
            try:
                if (told := known.outline()) is not None and told.kind == kind:
                    return told
            except Exception:  # it is a short cut: whether the plugin's type is sound shows when it is made
                _log.debug("The outline of the node type %s is not used.", kind, exc_info=True)
        return self._made(kind)

    def _made(self, kind: str) -> NodeType | None:
        known = self._known.get(kind)
        if not isinstance(known, NodeOffer):
            return known
        with self._making:
            known = self._known.get(kind)
            return self._keep(known) if isinstance(known, NodeOffer) else known

    def _keep(self, offer: NodeOffer) -> NodeType | None:
        """An offer that cannot be kept is reported once; its kind is then unknown, or again the replaced one's."""
        try:
            node = cast("Callable[..., NodeType]", load(offer.reference))(*offer.arguments)
            require(node, NodeType, node_mistakes)
            if node.kind != offer.kind:
                raise ProtocolMismatch(f"{offer.reference} gives the node type {node.kind}")
        except BaseException as exc:
            del self._known[offer.kind]
            if (replaced := self._replaced.pop(offer.kind, None)) is not None:
                self._known[offer.kind] = replaced
            self._failed(offer.kind, exc)
            return self._made(offer.kind)
        self._known[offer.kind] = node
        return node
