"""The problems of a file, and the form in which commands tell them.

The form of a line is that of compilers, which editors read.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import click

from jackfield.api.cli import echo_json, harmless
from jackfield.api.jsontext import Json
from jackfield.api.records import record

Severity: TypeAlias = Literal["error", "warning"]


@record
class FileProblem:
    """`line`, `column`: from 1.

    `key`: dotted; empty: the file as a whole. `allowed`: what may stand there, empty where it is no choice. `similar`:
    the nearest of them.
    """

    line: int
    column: int
    key: str
    message: str
    severity: Severity = "error"
    allowed: Sequence[str] = ()
    similar: Sequence[str] = ()


def file_view(file: str, problems: Sequence[FileProblem]) -> dict[str, Json]:
    """One file for `--json`. good: it has no error; warnings do not count."""
    return {
        "file": file,
        "good": all(one.severity != "error" for one in problems),
        "problems": [
            {
                "line": one.line, "column": one.column, "key": one.key, "severity": one.severity,
                "message": one.message, "allowed": list(one.allowed), "similar": list(one.similar),
            }
            for one in problems
        ],
    }  # fmt: skip


files_argument = click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE..."
)
"""The files of a command that validates some."""


def tell_or_exit(views: Sequence[Mapping[str, Json]], *, as_json: bool) -> None:
    """Print what `file_view` gave; the command ends with exit code 1 when a file has an error."""
    if not tell_files(views, as_json=as_json):
        sys.exit(1)


def tell_files(views: Sequence[Mapping[str, Json]], *, as_json: bool) -> bool:
    """Print what `file_view` gave. Whether all are good."""
    if as_json:
        echo_json(views)
    else:
        for view in views:
            for line in _lines(view):
                click.echo(harmless(line))
    return all(view["good"] for view in views)


def _lines(view: Mapping[str, Json]) -> list[str]:
    problems = view["problems"]
    found = [one for one in problems if isinstance(one, dict)] if isinstance(problems, list) else []
    lines = [_line(str(view["file"]), one) for one in found]
    return lines if not view["good"] else [*lines, f"{view['file']}: good"]


def _line(file: str, problem: Mapping[str, Json]) -> str:
    near, allowed = _texts(problem["similar"]), _texts(problem["allowed"])
    said = f"{problem['key']}: {problem['message']}" if problem["key"] else str(problem["message"])
    said += f"; did you mean {' or '.join(near)}?" if near else "" if said.endswith((".", "?")) else "."
    choice = f" Allowed: {', '.join(allowed)}." if allowed else ""
    return f"{file}:{problem['line']}:{problem['column']}: {problem['severity']}: {said}{choice}"


def _texts(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
