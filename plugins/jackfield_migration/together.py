"""The findings about workflows that need all of an import: circles, and names that several have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.records import replace
from jackfield.api.workflows import Problem
from jackfield_migration.bundle import BundleDocument
from jackfield_migration.identities import content_digest, foreign_id
from jackfield_migration.report import DONE, Result
from jackfield_migration.rewriting import Rewritten, rewritten
from jackfield_migration.verdicts import cycles

SHOWN = 8
"""Names of a circle that a message lists."""
MAX_NAME = 255


def once(sources: Sequence[BundleDocument]) -> tuple[dict[str, BundleDocument], list[Result]]:
    """Each id of n8n with the first document that has it, and a result for each other one."""
    chosen: dict[str, BundleDocument] = {}
    results: list[Result] = []
    for source in sources:
        ident = foreign_id(source.document)
        first = chosen.setdefault(ident, source)
        if first is not source:
            results.append(_twice(source, first, ident))
    return chosen, results


def links_of(workflows: Mapping[str, BundleDocument]) -> Mapping[str, Sequence[str]]:
    """Id of n8n -> the ids of those that it refers to."""
    return {
        ident: [link.foreign_id for link in _rewritten(source, workflows).links] for ident, source in workflows.items()
    }


def told_together(results: Sequence[Result], links: Mapping[str, Sequence[str]]) -> list[Result]:
    """The results with a remark for each circle and each name that several have. links: by ids of n8n."""
    names = {result.foreign_id: result.name for result in results if result.kind == "workflow"}
    circles = {start: _shown_way([names.get(each, each) for each in way]) for start, way in cycles(links).items()}
    count: dict[str, int] = {}
    for result in results:
        if result.kind == "workflow" and result.status in DONE:
            count[result.name] = count.get(result.name, 0) + 1
    return [_with_remarks(result, circles.get(result.foreign_id, ""), count) for result in results]


def _with_remarks(result: Result, circle: str, count: Mapping[str, int]) -> Result:
    if result.kind != "workflow" or result.status not in DONE:
        return result
    found = list(result.problems)
    if circle:
        found.append(Problem("nodes", f"It calls itself: {circle}. A condition must end that.", "warning"))
    if count[result.name] > 1:
        found.append(Problem("name", "Another workflow of this import has the same name; both are kept.", "warning"))
    return replace(result, problems=found)


def _rewritten(source: BundleDocument, workflows: Mapping[str, BundleDocument]) -> Rewritten:
    return rewritten(source.document, str, lambda *_: None, workflows.__contains__)


def _shown_way(names: Sequence[str]) -> str:
    shown = names if len(names) <= SHOWN else [*names[: SHOWN - 1], "...", names[-1]]
    return " -> ".join(shown)


def _twice(source: BundleDocument, first: BundleDocument, ident: str) -> Result:
    same = content_digest(dict(source.document)) == content_digest(dict(first.document))
    message = f"The same id stands in {first.origin} already, " + (
        "with the same content." if same else "which counts."
    )
    problem = Problem("id", message, "warning")
    return Result(
        "workflow",
        str(source.document.get("name") or "")[:MAX_NAME],
        ident,
        source.origin,
        "skipped",
        problems=[problem],
    )
