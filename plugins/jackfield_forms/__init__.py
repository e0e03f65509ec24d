"""Forms: the trigger that a web page starts, its further pages, and pages that executions wait for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from jackfield.api.asgi import AsgiMount
    from jackfield.api.context import PluginContext
    from jackfield.api.nodes import NodeType
    from jackfield.api.triggers import Trigger


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_forms.settings import FormSettings

    return [SettingsTable("forms", FormSettings)]


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from functools import partial

    from jackfield.api.lazy import LazyNode

    return [LazyNode(kind, partial(_node, context, kind)) for kind in ("formTrigger", "form")]


@hookimpl
def jackfield_triggers(context: PluginContext) -> Sequence[Trigger]:
    from jackfield.api.lazy import LazyTrigger

    return [LazyTrigger("form", ["formTrigger"], lambda: _trigger(context))]


@hookimpl
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:
    from jackfield_forms.mounts import mounts

    return mounts(context)


def _node(context: PluginContext, kind: str) -> NodeType:
    from jackfield_forms.nodes import node_types

    return next(node for node in node_types(context) if node.kind == kind)


def _trigger(context: PluginContext) -> Trigger:
    from jackfield_forms.trigger import FormTrigger

    return FormTrigger(context)
