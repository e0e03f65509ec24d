"""AI: agents, chains, models, tools, memories and vector stores, with n8n's names and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from jackfield.api.asgi import AsgiMount
    from jackfield.api.context import PluginContext
    from jackfield.api.credentials import CredentialKind
    from jackfield.api.nodes import NodeType
    from jackfield.api.triggers import Trigger


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_ai.settings import AiSettings

    return [SettingsTable("ai", AiSettings)]


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from jackfield_ai.catalogue import node_types

    return node_types(context)


@hookimpl
def jackfield_credential_kinds() -> Sequence[CredentialKind]:
    from jackfield_ai.kinds import KINDS

    return KINDS


@hookimpl
def jackfield_triggers(context: PluginContext) -> Sequence[Trigger]:
    from jackfield_ai.chat.trigger import ChatTrigger

    return [ChatTrigger(context)]


@hookimpl
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:
    from jackfield_ai.chat.mounts import mounts

    return mounts(context)
