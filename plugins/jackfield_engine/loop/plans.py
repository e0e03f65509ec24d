"""Workflows prepared for running, kept per workflow version."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property

from jackfield.api.containment import is_ctrl_c
from jackfield.api.context import PluginContext
from jackfield.api.expressions import CompiledParameters, Expressions
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    NodeCatalog,
    NodeParameters,
    NodeType,
    NodeUnavailable,
    patient_node,
    self_serving_node,
    unknown_type,
)
from jackfield.api.nodes.changing import renewals
from jackfield.api.nodes.leaves import with_leaves
from jackfield.api.nodes.secret_values import paths_by_name, paths_of, shown_parameters
from jackfield.api.workflows import Node, Workflow
from jackfield_engine.loop.graph import NOTHING, Graph, build_graph
from jackfield_engine.loop.obstacles import Obstacles

_MOST_FALLBACKS = 64


class FallbackPolicy:
    """Whether JavaScript has a node's expressions at once. Where Python has to give up, it does so for the next run,
    and for twice as many each time again. It most likely has to again."""

    __slots__ = ("left", "length")

    def __init__(self) -> None:
        self.left = 0
        """Runs that are JavaScript's."""
        self.length = 0
        """How many it had the last time; 0 once Python had all expressions of a run."""

    def given_up(self) -> None:
        self.length = self.left = min(max(1, 2 * self.length), _MOST_FALLBACKS)


class NodePlan:
    """One node of a workflow: its type and its compiled parameters."""

    def __init__(self, node: Node, type: NodeType, expressions: Expressions) -> None:
        self.node = node
        self._expressions = expressions
        self.type = type
        self.effect = type.effect
        self.fallback = FallbackPolicy()
        self.valid: NodeParameters | None = None
        """The parameters of a node without expressions, once they were validated."""

    @cached_property
    def parameters(self) -> CompiledParameters:
        model = self.model
        given = model.completed(self.node.parameters)
        return self._expressions.compile(given, model.json_templates(given), model.late(given), model.undefined(given))

    @cached_property
    def apart(self) -> NodeParameters | None:
        """The parameters with leaves for expressions; None where each item needs its own, or nothing is evaluated."""
        model, compiled = self.model, self.parameters
        if not model.takes_leaves or compiled.literal is not None:
            return None
        return with_leaves(model, compiled)

    @cached_property
    def model(self) -> type[NodeParameters]:
        return self.type.parameters(self.node.version)

    def literal(self) -> NodeParameters:
        """The parameters of a node without expressions, validated once. Raises pydantic's ValidationError."""
        if self.valid is None:
            self.valid = self.model.model_validate(self.parameters.literal)
        return self.valid


class WorkflowPlan:
    """One version of a workflow."""

    def __init__(self, workflow: Workflow, catalog: NodeCatalog, expressions: Expressions) -> None:
        self.workflow = workflow
        self.expressions = expressions
        self._catalog = catalog
        self.nodes: dict[str, NodePlan] = {}
        """Those that were needed already; see `node`."""
        self._directions: dict[tuple[str, str], int] = {}
        self._shown: dict[str, dict[str, Json]] = {}
        self.graph: Graph = build_graph(workflow, self._outputs, self._required, self._own)
        self.obstacles = Obstacles(self.graph, self.workflow.attached, catalog)

    def node(self, name: str) -> NodePlan:
        """Raises `NodeUnavailable` when no plugin provides the node's type."""
        found = self.nodes.get(name)
        if found is None:
            found = self.nodes[name] = self._plan(self.workflow.nodes[name])
        return found

    def shown_parameters(self, name: str) -> dict[str, Json]:
        """A node's parameters as expressions and scripts see them: its secrets would stand in results, which more
        people read than the workflow."""
        found = self._shown.get(name)
        if found is None:
            node = self.workflow.nodes[name]
            given = dict(node.parameters)
            try:
                paths = paths_of(self._catalog.find(node.kind), node.version, given)
            except BaseException as exc:  # a type that cannot give its parameters fails where it runs
                if is_ctrl_c(exc):
                    raise
                paths = paths_by_name(given)
            found = self._shown[name] = shown_parameters(given, paths)
        return found

    def output_towards(self, source: str, target: str) -> int:
        """See `Graph.output_towards`."""
        key = (source, target)
        found = self._directions.get(key)
        if found is None:
            found = self._directions[key] = self.graph.output_towards(source, target)
        return found

    def _plan(self, node: Node) -> NodePlan:
        found = self._catalog.find(node.kind)
        if found is None:
            raise NodeUnavailable(unknown_type(node))
        return NodePlan(node, found, self.expressions)

    def _outputs(self, node: Node) -> int:
        """One for a node whose type or parameters are not usable; it fails when it is reached."""
        found = self._catalog.find(node.kind)
        try:
            return 1 if found is None else found.outputs(node)
        except BaseException as exc:
            if is_ctrl_c(exc):
                raise
            return 1

    def _required(self, node: Node) -> frozenset[int]:
        found = patient_node(self._catalog.find(node.kind))
        return NOTHING if found is None else found.required_inputs(node)

    def _own(self, node: Node) -> int | None:
        found = self_serving_node(self._catalog.find(node.kind))
        return None if found is None else found.own_output(node)


def plan_of(workflow: Workflow, context: PluginContext) -> WorkflowPlan:
    return WorkflowPlan(workflow, context.port(NodeCatalog), context.port(Expressions))


class Plans:
    """The plans used last, at most that many."""

    def __init__(self, context: PluginContext, limit: int) -> None:
        self._context = context
        self._limit = limit
        self._plans: OrderedDict[int, WorkflowPlan] = OrderedDict()
        self._made_after = renewals(context)

    def of(self, workflow: Workflow) -> WorkflowPlan:
        """The plan holds the workflow, so that its identity stays its own. Node types that have changed are looked up
        again; a run that is under way keeps its plan."""
        if (count := renewals(self._context)) != self._made_after:
            self._plans.clear()
            self._made_after = count
        plan = self._plans.get(id(workflow))
        if plan is None:
            plan = self._plans[id(workflow)] = plan_of(workflow, self._context)
            if len(self._plans) > self._limit:
                self._plans.popitem(last=False)
        else:
            self._plans.move_to_end(id(workflow))
        return plan
