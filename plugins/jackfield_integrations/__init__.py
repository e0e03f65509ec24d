"""Nodes that talk to other systems: mail, databases, Redis, SSH, FTP, GraphQL, feeds, and commands of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import hookimpl

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.credentials import CredentialKind
    from jackfield.api.hooks import SettingsTable
    from jackfield.api.nodes import NodeType


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield.api.hooks import SettingsTable
    from jackfield_integrations.settings import IntegrationSettings

    return [SettingsTable("integrations", IntegrationSettings)]


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from jackfield_integrations.catalogue import node_types

    return node_types(context)


@hookimpl
def jackfield_credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:
    from jackfield_integrations.trials import kinds

    return kinds(context)
