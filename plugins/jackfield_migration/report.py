"""The report of an import: one result per document, counts, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, cast

from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield.api.workflows import Problem, Severity
from jackfield_migration.bundle import NOT_HERE, Bundle

Status = Literal["created", "updated", "unchanged", "matched", "skipped", "refused", "failed"]
"""`matched`: a credential of this name and kind was here already, and stays as it is. `skipped`: the same document came
twice, or nothing of it is to be kept. `refused`: it has mistakes. `failed`: the store or a conflict prevented it. Of a
dry run each says what would become of the document."""
Verdict = Literal["runs", "setup", "attention", "cannot"]
"""`setup`: it is valid, and runs once it has the credentials that it names. `attention`: something else is missing or
wrong. `cannot`: a part of it has no counterpart here. Empty: it was not imported."""
Told = Callable[["Result"], None]
"""Hears of each document that was created or updated as soon as it is stored: an import may break off."""
DONE: frozenset[Status] = frozenset({"created", "updated", "unchanged", "matched"})


@record
class Result:
    """The outcome for one document. `active`: whether it is live now; None: it has nothing that could be live.
    `was_active`: whether it was live in n8n."""

    kind: str
    name: str
    foreign_id: str
    origin: str
    status: Status
    id: str | None = None
    verdict: Verdict | Literal[""] = ""
    was_active: bool = False
    active: bool | None = None
    problems: Sequence[Problem] = field(default_factory=tuple)


@record
class MigrationReport:
    results: Sequence[Result]
    left: Mapping[str, int]
    unreadable: Sequence[tuple[str, str]]
    dry_run: bool


def report_of(results: Sequence[Result], bundle: Bundle, *, dry_run: bool) -> MigrationReport:
    unreadable = [(each.origin, each.reason) for each in bundle.unreadable]
    return MigrationReport(results, dict(bundle.left), unreadable, dry_run)


def report_view(report: MigrationReport) -> dict[str, Json]:
    """`complete`: everything that was given is here now, or would be."""
    left: list[Json] = [
        {"kind": kind, "count": count, "reason": NOT_HERE.get(kind, "There is nothing like it here.")}
        for kind, count in sorted(report.left.items())
    ]
    unreadable: list[Json] = [{"origin": origin, "reason": reason} for origin, reason in report.unreadable]
    done = all(result.status in DONE or result.status == "skipped" for result in report.results)
    return {
        "dryRun": report.dry_run,
        "complete": done and not unreadable,
        "counts": counts(report.results),
        "results": [result_view(result) for result in report.results],
        "notImported": left,
        "unreadable": unreadable,
        "next": list(next_steps(report)),
    }


def result_view(result: Result) -> dict[str, Json]:
    problems: list[Json] = [
        {"path": each.path, "message": each.message, "severity": each.severity} for each in result.problems
    ]
    return {
        "kind": result.kind,
        "name": result.name,
        "foreignId": result.foreign_id,
        "origin": result.origin,
        "status": result.status,
        "id": result.id,
        "verdict": result.verdict or None,
        "wasActive": result.was_active,
        "active": result.active,
        "problems": problems,
    }


def read_report(views: Sequence[Mapping[str, Json]], bundle: Bundle, *, dry_run: bool) -> MigrationReport:
    """The report of an import of several requests, from what each of them answered."""
    rows = [row for view in views for row in _list(view.get("results"))]
    report = report_of([_read_result(row) for row in rows if isinstance(row, dict)], bundle, dry_run=dry_run)
    told = [row for view in views for row in _list(view.get("unreadable")) if isinstance(row, dict)]
    return replace(report, unreadable=[*report.unreadable, *((str(row["origin"]), str(row["reason"])) for row in told)])


def _read_result(view: Mapping[str, Json]) -> Result:
    """The inverse of `result_view`."""
    problems = [
        Problem(str(row["path"]), str(row["message"]), cast("Severity", row["severity"]))
        for row in _list(view.get("problems"))
        if isinstance(row, dict)
    ]
    active, ident = view.get("active"), view.get("id")
    return Result(
        str(view["kind"]), str(view["name"]), str(view["foreignId"]), str(view["origin"]),
        cast("Status", view["status"]), ident if isinstance(ident, str) else None,
        cast("Verdict", view.get("verdict") or ""), view.get("wasActive") is True,
        active if isinstance(active, bool) else None, problems,
    )  # fmt: skip


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def counts(results: Sequence[Result]) -> dict[str, Json]:
    """By kind: how many of each status; of workflows also how many of each verdict, and how many are active."""
    found: dict[str, dict[str, Json]] = {}
    for result in results:
        row = found.setdefault(result.kind, {})
        for name in (result.status, result.verdict, "active" if result.active else ""):
            if name:
                row[name] = int(str(row.get(name, 0))) + 1
    return dict(found)


def next_steps(report: MigrationReport) -> Sequence[str]:
    """Sentences for a person, the most pressing one first."""
    results = report.results
    workflows = [result for result in results if result.kind == "workflow"]
    steps = [
        _step(report.unreadable, "Look at what could not be read: {count}."),
        _step([each for each in results if each.status in ("refused", "failed")],
              "Correct what was not imported, then import it again: {count}."),
        _step([each for each in results if each.kind == "credential" and each.problems],
              "Complete the credentials that lack something, or connect them again: {count}."),
        _step([each for each in results if each.kind in ("key", "profile") and each.verdict == "attention"],
              "Give keys and profiles what they miss: {count}."),
        _step([each for each in results if each.kind == "setting" and each.status == "created"],
              "Start the daemon again, so that it reads the new settings: {count}."),
        _step([each for each in results if each.kind != "key" and each.status == "skipped" and each.id is None
               and not each.foreign_id],
              "Look at what has no counterpart here: {count}."),
        _step([each for each in workflows if each.verdict == "setup"],
              "Give workflows the credentials that they name before you activate them: {count}."),
        _step([each for each in workflows if each.verdict == "attention"],
              "Give workflows that need attention what they miss: {count}."),
        _step([each for each in workflows if each.verdict == "cannot"],
              "Replace nodes that have no counterpart here: {count} workflows have some."),
        _step([each for each in workflows if each.was_active and each.active is False and each.status in DONE],
              "Activate what was active in n8n once callers and schedules come here: {count}. Deactivate it there "
              "first, so that nothing runs twice."),
    ]  # fmt: skip
    if report.dry_run:
        steps.append("Nothing was changed. Import again without the dry run.")
    return [step for step in steps if step]


def _step(found: Sequence[object], sentence: str) -> str:
    return sentence.format(count=len(found)) if found else ""
