"""The offers of the hooks. Without a package nothing more is read than whether there is an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield.api.credentials import CredentialKind

DIRECTORY = "community-nodes"
"""Of the packages, in the configuration directory."""
INDEX = "index.json"
TOPIC = "community_nodes.changed"
"""Of the bus: the packages of some host are others; whoever shares its directory reads the index again."""
_NODES = "jackfield_community_nodes.library:node_offers"
_KINDS = "jackfield_community_nodes.kinds:credential_kinds"
"""By object reference: a start without packages imports none of it."""


def index_file(context: PluginContext) -> Path:
    return context.service.config_dir / DIRECTORY / INDEX


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    if not index_file(context).exists():
        return ()
    return cast("Callable[[PluginContext], Sequence[NodeOffer]]", load(_NODES))(context)


def credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:
    if not index_file(context).exists():
        return ()
    return cast("Callable[[PluginContext], Sequence[CredentialKind]]", load(_KINDS))(context)
