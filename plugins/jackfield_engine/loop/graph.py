"""A workflow's nodes and wires, prepared for the run loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jackfield.api.records import record, replace
from jackfield.api.workflows import Items, Node, Workflow

NOT_RUN = frozenset({"stickyNote"})


class GraphLink(NamedTuple):
    """From an output of a node to an input of another."""

    output: int
    node: str
    input: int


class GraphSource(NamedTuple):
    """An output from which a wire leads to an input."""

    node: str
    output: int


@record
class GraphStep:
    """A node in its graph.

    `links`: in the order in which they are followed. `sources`: per input, up to the last wired one. `inputs`: how many
    it has, at least one. `required`: the inputs without which it does not run in order v1. `error_output`: where the
    items go that failed, None when the node has no such output.
    """

    node: Node
    links: tuple[GraphLink, ...]
    sources: tuple[tuple[GraphSource, ...], ...]
    inputs: int
    required: frozenset[int]
    error_output: int | None


class Ancestors:
    """The nodes before each node, made when they are asked for first."""

    def __init__(self, steps: Mapping[str, GraphStep]) -> None:
        self._steps = steps
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, name: str) -> tuple[str, ...]:
        """Every other node from which wires lead to this one, each behind all that are nearer on its longest way."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = _before(self._steps, name)
        return found

    def enabled(self, name: str, index: int) -> bool:
        """Whether a node before this input of the node is enabled."""
        before = {source.node for source in self._steps[name].sources[index]}
        before |= {far for near in before for far in self.of(near)}
        return any(not self._steps[one].node.disabled for one in before - {name})


def _before(steps: Mapping[str, GraphStep], name: str) -> tuple[str, ...]:
    """Depth first. A node that is found again moves behind, so that it stands behind all that it comes before."""
    done: dict[str, dict[str, None]] = {}
    found: dict[str, dict[str, None]] = {name: {}}
    open_names: list[tuple[str, Iterator[str]]] = [(name, _sources(steps, name))]
    while open_names:
        current, rest = open_names[-1]
        source = next((one for one in rest if one not in found), None)
        if source is None:
            open_names.pop()
            done[current] = found.pop(current)
            if open_names:
                _behind(found[open_names[-1][0]], current, done[current])
        elif source in done:
            _behind(found[current], source, done[source])
        else:
            found[source] = {}
            open_names.append((source, _sources(steps, source)))
    return tuple(done[name])


def _sources(steps: Mapping[str, GraphStep], name: str) -> Iterator[str]:
    return (source.node for sources in steps[name].sources for source in sources)


def _behind(found: dict[str, None], name: str, before: Mapping[str, None]) -> None:
    for one in (name, *before):
        found.pop(one, None)
        found[one] = None


@record
class Graph:
    """depth_first: a branch runs to its end before the next one begins (order v1)."""

    steps: Mapping[str, GraphStep]
    depth_first: bool
    pinned: Mapping[str, Items]
    ancestors: Ancestors

    def output_towards(self, source: str, target: str) -> int:
        """The output of `source` from which the shortest way leads to `target`; 0 when none does."""
        step = self.steps.get(source)
        links = step.links if step is not None else ()
        frontier = [(link.node, link.output) for link in sorted(links)]
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


NOTHING: frozenset[int] = frozenset()


def build_graph(
    workflow: Workflow,
    outputs: Callable[[Node], int],
    required: Callable[[Node], frozenset[int]] = lambda _: NOTHING,
    own: Callable[[Node], int | None] = lambda _: None,
) -> Graph:
    """outputs: how many outputs a node has, without the error output; required: see `GraphStep`; own: the output from
    which a node serves itself. Wires to missing nodes lead nowhere."""
    depth_first = workflow.settings.order == "v1"
    nodes = {name: node for name, node in workflow.nodes.items() if node.kind not in NOT_RUN}
    links = {name: _links(workflow, nodes, name) for name in workflow.wires if name in nodes}
    sources = _by_target(links)
    steps = {
        name: GraphStep(
            node=node,
            links=(*_own(node, own(node)), *_in_turn(nodes, links.get(name, ()), depth_first)),
            sources=sources.get(name, ()),
            inputs=max(len(sources.get(name, ())), 1),
            required=required(node) if depth_first and len(sources.get(name, ())) > 1 else NOTHING,
            error_output=outputs(node) if node.on_error == "continueErrorOutput" else None,
        )
        for name, node in nodes.items()
    }
    return Graph(steps, depth_first, workflow.pin_data, Ancestors(steps))


def towards(graph: Graph, until: str) -> Graph:
    """The graph without what does not lead to this node, which nothing follows; all of it when there is no such
    node."""
    if until not in graph.steps:
        return graph
    kept = {*graph.ancestors.of(until), until}
    steps = {
        name: replace(step, links=() if name == until else tuple(link for link in step.links if link.node in kept))
        for name, step in graph.steps.items()
    }
    return replace(graph, steps=steps)


def _own(node: Node, output: int | None) -> tuple[GraphLink, ...]:
    """No wire of the document, and so in no `sources`: nothing else stands before the node for it."""
    return () if output is None else (GraphLink(output, node.name, 0),)


def _links(workflow: Workflow, nodes: Mapping[str, Node], name: str) -> tuple[GraphLink, ...]:
    return tuple(
        GraphLink(output, wire.node, wire.input)
        for output, targets in enumerate(workflow.wires[name])
        for wire in targets
        if wire.node in nodes
    )


def _by_target(links: Mapping[str, Sequence[GraphLink]]) -> dict[str, tuple[tuple[GraphSource, ...], ...]]:
    found: dict[str, list[list[GraphSource]]] = {}
    for name, targets in links.items():
        for link in targets:
            inputs = found.setdefault(link.node, [])
            inputs.extend([] for _ in range(link.input + 1 - len(inputs)))
            inputs[link.input].append(GraphSource(name, link.output))
    return {name: tuple(tuple(sources) for sources in inputs) for name, inputs in found.items()}


def _in_turn(nodes: Mapping[str, Node], links: tuple[GraphLink, ...], depth_first: bool) -> tuple[GraphLink, ...]:
    """Depth first, each is put before the one that was followed before it: so the lowest and rightmost comes first."""
    if not depth_first:
        return links
    return tuple(sorted(links, key=lambda link: nodes[link.node].position[::-1], reverse=True))
