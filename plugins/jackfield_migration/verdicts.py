"""Whether an imported workflow runs here, and what it misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.large_json import off_loop
from jackfield.api.nodes import NodeCatalog
from jackfield.api.workflows import Problem, Workflow
from jackfield_migration.report import Verdict
from jackfield_migration.rewriting import Link, Rewritten

CALLED = frozenset({"executeWorkflowTrigger", "errorTrigger"})
"""Kinds of triggers that other workflows start."""
BY_HAND = frozenset({"manualTrigger", "start"})
Present = Callable[[str], bool]
"""Whether an own id is here."""


async def judged(
    context: PluginContext, workflow: Workflow, made: Rewritten, own: Callable[[str], str], *, workflows: Present,
    credentials: Present,
) -> tuple[Verdict, list[Problem]]:  # fmt: skip
    """The verdict, and all remarks, each place once."""
    reader = context.port(WorkflowReader)
    links = list(_missing_links(made.links, own, workflows))
    missing = [*links, *_missing_credentials(workflow, made.unknown, credentials)]
    told = {problem.path for problem in missing}
    found = await off_loop(workflow.document, lambda: reader.problems(workflow))
    problems = [*missing, *(problem for problem in found if problem.path not in told)]
    return _verdict(context, workflow, problems, links_nowhere=bool(links)), problems


def _verdict(
    context: PluginContext, workflow: Workflow, problems: Sequence[Problem], *, links_nowhere: bool
) -> Verdict:
    catalog = context.port(NodeCatalog)
    for node in workflow.nodes.values():
        found = None if node.disabled else catalog.find(node.kind)
        if not node.disabled and (found is None or found.description.missing):
            return "cannot"
    severities = {problem.severity for problem in problems}
    if links_nowhere or "error" in severities:
        return "attention"
    return "setup" if "activation" in severities else "runs"


def starts_itself(context: PluginContext, workflow: Workflow) -> bool:
    """Whether there is anything to activate: n8n wants that of workflows, too, that others call."""
    catalog = context.port(NodeCatalog)
    for node in workflow.nodes.values():
        if node.disabled or node.kind in CALLED | BY_HAND:
            continue
        found = catalog.find(node.kind)
        if found.description.trigger if found is not None else "trigger" in node.kind.lower():
            return True
    return False


def is_called(workflow: Workflow) -> bool:
    """Whether other workflows can start it."""
    return any(not node.disabled and node.kind in CALLED for node in workflow.nodes.values())


def _missing_links(links: Sequence[Link], own: Callable[[str], str], present: Present) -> Iterator[Problem]:
    for link in links:
        if not present(own(link.foreign_id)):
            yield Problem(
                link.path,
                f"The workflow {link.foreign_id} of n8n is not here; import it too, and this reference is right.",
                "warning",
            )


def _missing_credentials(workflow: Workflow, unknown: Mapping[str, str], present: Present) -> Iterator[Problem]:
    listed = workflow.document.get("nodes")
    for index, raw in enumerate(listed if isinstance(listed, list) else []):
        node = workflow.nodes.get(str(raw.get("name"))) if isinstance(raw, dict) else None
        for kind in node.credentials if node is not None and not node.disabled else ():
            path = f"nodes[{index}].credentials.{kind}"
            ident = None if node is None else node.credential_id(kind)
            if node is not None and (path in unknown or (ident is not None and not present(ident))):
                yield Problem(path, node.missing_credential(kind), "activation")


def cycles(links: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Workflow -> the shortest way on which it calls itself again; those that do not are left out."""
    return {start: way for start in links if (way := _way_back(links, start))}


def _way_back(links: Mapping[str, Sequence[str]], start: str) -> Sequence[str]:
    """Breadth first; each knows from where it was reached."""
    before: dict[str, str] = {}
    queue = [start]
    for here in queue:
        for following in links.get(here, ()):
            if following == start:
                return (*_way_to(before, start, here), start)
            if following not in before:
                before[following] = here
                queue.append(following)
    return ()


def _way_to(before: Mapping[str, str], start: str, end: str) -> Sequence[str]:
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]
