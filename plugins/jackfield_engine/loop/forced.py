"""Order v0: a node with several inputs makes the nodes before its other inputs run, even though nothing reached them.

Each rule here is one of n8n's, found in its engine and held against it on random workflows.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from jackfield.api.workflows import Outputs
from jackfield_engine.loop.graph import Graph, GraphLink, GraphSource
from jackfield_engine.loop.tasks import NodeResult, Task

Results = Mapping[str, Sequence[NodeResult]]


def forced_sources(
    graph: Graph, task: Task, link: GraphLink, outputs: Outputs, results: Results, queued: Container[str]
) -> Iterator[str]:
    """The nodes that begin with an empty item now that `task` was the first to reach the link's target.

    `queued`: the names of the nodes that are ready to run. A node that begins here has to be in there before the next
    is asked for.
    """
    name, run = task.step.node.name, task.given.run
    beside = {other.node for other in task.step.links}
    for sources in graph.steps[link.node].sources:
        for source in sources:
            parent = source.node
            if parent == name or parent in queued or parent in results:
                continue
            if parent in beside and not _empty(_first(graph, parent), results, run):
                continue
            found = _begun(graph, parent, beside, results, queued)
            if found is None or (not outputs[link.output] and name in graph.ancestors.of(found)):
                continue
            if _empty(_first(graph, found), results, run):
                yield found


def _begun(graph: Graph, parent: str, beside: Container[str], results: Results, queued: Container[str]) -> str | None:
    """The farthest node before `parent` that has not run; None when one of them runs anyway."""
    found = parent
    for one in (parent, *graph.ancestors.of(parent)):
        if (one != parent and one in beside) or one in queued:
            return None
        if one in results:
            break
        found = one
    return found


def _first(graph: Graph, name: str) -> Sequence[GraphSource]:
    """The wires that lead to the node's first input."""
    sources = graph.steps[name].sources
    return sources[0] if sources else ()


def _empty(sources: Sequence[GraphSource], results: Results, run: int) -> bool:
    """Whether none of these outputs gave anything in its node's run with this number."""
    return not any(_gave(results.get(source.node, ()), run, source.output) for source in sources)


def _gave(runs: Sequence[NodeResult], run: int, output: int) -> bool:
    outputs = runs[run].outputs if run < len(runs) else []
    return output < len(outputs) and bool(outputs[output])
