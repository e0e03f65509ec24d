"""A workflow's nodes and wires, prepared for the run loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jackfield.api.records import record, replace
from jackfield.api.workflows import Items, Node, Workflow

NOT_RUN = frozenset({"stickyNote"})


@record
class GraphLink:
    """From an output of a node to an input of another."""

    output: int
    node: str
    input: int


@record
class GraphStep:
    """A node in its graph. links: in the order in which their targets run; fan_in: the wired inputs when there is more
    than one input to wait for, else empty; outputs: without the error output; error_output: where the items go that
    failed, None when the node has no such output."""

    node: Node
    links: tuple[GraphLink, ...]
    inputs: int
    fan_in: frozenset[int]
    error_output: int | None


@record
class Graph:
    """depth_first: a branch runs to its end before the next one begins (order v1); ancestors: of each node that waits
    for several inputs, every node from which a wire leads to it, over any number of others."""

    steps: Mapping[str, GraphStep]
    depth_first: bool
    pinned: Mapping[str, Items]
    ancestors: Mapping[str, frozenset[str]]

    def output_towards(self, source: str, target: str) -> int:
        """The output of `source` from which the shortest way leads to `target`; 0 when none does."""
        step = self.steps.get(source)
        links = step.links if step is not None else ()
        frontier = [(link.node, link.output) for link in links]
        seen = {name for name, _ in frontier}
        while frontier:
            for name, output in frontier:
                if name == target:
                    return output
            further: list[tuple[str, int]] = []
            for name, output in frontier:
                for link in self.steps[name].links:
                    if link.node not in seen:
                        seen.add(link.node)
                        further.append((link.node, output))
            frontier = further
        return 0


def build_graph(workflow: Workflow, outputs: Callable[[Node], int]) -> Graph:
    """outputs: how many outputs a node has, without the error output. Wires to missing nodes lead nowhere."""
    depth_first = workflow.settings.order == "v1"
    nodes = {name: node for name, node in workflow.nodes.items() if node.kind not in NOT_RUN}
    links = {name: _links(workflow, nodes, name, depth_first) for name in nodes}
    wired: dict[str, set[int]] = {}
    parents: dict[str, set[str]] = {}
    for name, targets in links.items():
        for link in targets:
            wired.setdefault(link.node, set()).add(link.input)
            parents.setdefault(link.node, set()).add(name)
    steps = {name: _step(node, links[name], frozenset(wired.get(name, ())), outputs) for name, node in nodes.items()}
    ancestors = {name: _ancestors(parents, name) for name, step in steps.items() if step.fan_in}
    return Graph(steps, depth_first, workflow.pin_data, ancestors)


def towards(graph: Graph, until: str) -> Graph:
    """The graph without what does not lead to this node, which nothing follows; all of it when there is no such
    node."""
    if until not in graph.steps:
        return graph
    parents: dict[str, set[str]] = {}
    for name, step in graph.steps.items():
        for link in step.links:
            parents.setdefault(link.node, set()).add(name)
    leading = _ancestors(parents, until)
    kept = leading | {until}
    steps = {name: replace(step, links=_within(step.links, kept)) for name, step in graph.steps.items()}
    steps[until] = replace(steps[until], links=())
    return replace(graph, steps=steps)


def _within(links: tuple[GraphLink, ...], names: frozenset[str]) -> tuple[GraphLink, ...]:
    return tuple(link for link in links if link.node in names)


def _ancestors(parents: Mapping[str, set[str]], name: str) -> frozenset[str]:
    found: set[str] = set()
    open_names = [name]
    while open_names:
        further = parents.get(open_names.pop(), set()) - found
        found |= further
        open_names.extend(further)
    return frozenset(found)


def _links(workflow: Workflow, nodes: Mapping[str, Node], name: str, depth_first: bool) -> tuple[GraphLink, ...]:
    found = [
        GraphLink(output, wire.node, wire.input)
        for output, targets in enumerate(workflow.wires.get(name, ()))
        for wire in targets
        if wire.node in nodes
    ]
    if depth_first:
        found.sort(key=lambda link: (nodes[link.node].position[1], nodes[link.node].position[0]))
    return tuple(found)


def _step(node: Node, links: tuple[GraphLink, ...], wired: frozenset[int], outputs: Callable[[Node], int]) -> GraphStep:
    inputs = max(wired, default=0) + 1
    return GraphStep(
        node=node,
        links=links,
        inputs=inputs,
        fan_in=wired if inputs > 1 else frozenset(),
        error_output=outputs(node) if node.on_error == "continueErrorOutput" else None,
    )
