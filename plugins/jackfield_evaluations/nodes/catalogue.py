"""The nodes of this plugin; a node's file is imported when the node is used first."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.triggers import Trigger
from jackfield_evaluations.nodes.by_hand import EvaluationStart
from jackfield_evaluations.nodes.kinds import EVALUATION, TRIGGER


def node_types(context: PluginContext) -> list[NodeOffer]:
    return [
        NodeOffer(TRIGGER, "jackfield_evaluations.nodes.trigger:node", (context,)),
        NodeOffer(EVALUATION, "jackfield_evaluations.nodes.evaluation:node", (context,)),
    ]


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [EvaluationStart(context)]
