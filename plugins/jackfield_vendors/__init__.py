"""Nodes and credentials of third-party services, made from descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import hookimpl

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.credentials import CredentialKind
    from jackfield.api.nodes import NodeType


@hookimpl
def jackfield_credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:
    from jackfield_vendors.catalogue import catalogue_of

    found = catalogue_of(context)
    own = list(found.own.kinds) if found.own else []
    taken = {kind.name for kind in own}
    return [*own, *(kind for kind in found.shipped_kinds if kind.name not in taken)]


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from jackfield_vendors.catalogue import catalogue_of

    return catalogue_of(context).nodes()


@hookimpl
def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_vendors.catalogue import forget

    forget(context)
