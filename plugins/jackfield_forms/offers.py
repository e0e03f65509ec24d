"""The offers that the plugin names at the start; they are made when a workflow uses them first."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.triggers import OfferedTrigger, Trigger


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer(kind, "jackfield_forms.nodes:node", (context, kind)) for kind in ("formTrigger", "form")]


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [OfferedTrigger("form", ["formTrigger"], "jackfield_forms.trigger:FormTrigger", context)]
