"""The first nodes: fields, branches, code, waiting, HTTP, answers, sub-workflows, triggers started by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import hookimpl

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.hooks import SettingsTable
    from jackfield.api.http_client import HttpClient
    from jackfield.api.nodes import NodeType


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield.api.hooks import SettingsTable
    from jackfield_nodes.files.settings import FilesSettings
    from jackfield_nodes.merging.settings import MergeSettings
    from jackfield_nodes.settings import HttpSettings

    return [
        SettingsTable("nodes.files", FilesSettings),
        SettingsTable("nodes.http", HttpSettings),
        SettingsTable("nodes.merge", MergeSettings),
    ]


@hookimpl
def jackfield_http_client(context: PluginContext) -> HttpClient:
    from jackfield_nodes.http_client import GuardedClient

    return GuardedClient(context)


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from jackfield_nodes.catalogue import node_types

    return node_types(context)
