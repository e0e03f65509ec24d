"""Sticky Note: text on the canvas; never runs."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, Parameters
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.flow.form import STICKY


class StickyNote(Parameters):
    ui_fields: ClassVar[UiFields] = STICKY

    content: str = Field("", description="Markdown.")
    height: float = Field(160, description="Height on the canvas, in pixels.")
    width: float = Field(240, description="Width on the canvas, in pixels.")
    color: int | str = Field(1, description="Number of a colour, or its code.")


def node(context: PluginContext) -> PassingNode:
    described = NodeDescription("Sticky Note", "Text on the canvas; never runs.", "flow", inputs=0, outputs=())
    return PassingNode("stickyNote", (1,), described, StickyNote)
