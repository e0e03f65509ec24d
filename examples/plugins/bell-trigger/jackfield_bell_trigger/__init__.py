"""A bell that starts workflows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.nodes import NodeOffer
from jackfield.api.plugin import Plugin, hookimpl
from jackfield_bell_trigger.trigger import KIND, BellTrigger

if TYPE_CHECKING:
    from jackfield.api.asgi import AsgiMount
    from jackfield.api.context import PluginContext
    from jackfield.api.triggers import Trigger


class BellTriggerPlugin(Plugin):
    """Gives the trigger and the node `bell`."""

    name = "bell_trigger"

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self.trigger = BellTrigger(context)

    @hookimpl
    def jackfield_triggers(self) -> Sequence[Trigger]:
        return [self.trigger]

    @hookimpl
    def jackfield_asgi(self) -> Sequence[AsgiMount]:
        return self.trigger.mounts()

    @hookimpl
    def jackfield_nodes(self) -> Sequence[NodeOffer]:
        return [NodeOffer(KIND, "jackfield_bell_trigger.node:BellNode")]
