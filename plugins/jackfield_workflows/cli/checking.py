"""`jackfield workflow validate`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import click

from jackfield.api.cli import echo_json
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Problem
from jackfield_workflows.activation.checks import ActivationChecks
from jackfield_workflows.activation.obstacles import joined
from jackfield_workflows.cli.progress import printable
from jackfield_workflows.cli.reaching import CommandTarget, reach_daemon
from jackfield_workflows.cli.sources import WorkflowFile, read_sources
from jackfield_workflows.documents.credential_exports import refuse_credential
from jackfield_workflows.saved.views import validation_view

if TYPE_CHECKING:
    from jackfield_workflows.cli.remote import RemoteWorkflows


@record
class CheckedFile:
    """The problems of one file: per workflow its problems, and why the file could not be read."""

    source: WorkflowFile
    problems: Sequence[Sequence[Problem]] = ()

    @property
    def good(self) -> bool:
        return not self.source.problem and not any(p.severity == "error" for each in self.problems for p in each)


FindProblems: TypeAlias = Callable[[dict[str, Json]], Awaitable[list[Problem]]]
"""Of a workflow's document. Raises `InvalidInput` for its structure."""


async def check(source: WorkflowFile, find: FindProblems) -> CheckedFile:
    return CheckedFile(source, [await _problems(document, find) for document in source.documents])


async def _problems(document: Json, find: FindProblems) -> list[Problem]:
    """Of the structure, else of nodes, parameters and wires."""
    if not isinstance(document, dict):
        return [Problem("body", "A workflow must be an object with nodes and connections.")]
    try:
        refuse_credential(document)
        return await find(document)
    except InvalidInput as exc:
        return [Problem(path, str(message)) for path, message in (exc.details or {"body": exc.message}).items()]


async def problems_here(context: PluginContext, document: dict[str, Json]) -> list[Problem]:
    """With the node types of this machine's plugins and the credentials of its store."""
    reader = context.port(WorkflowReader)
    workflow = reader.parse(document)
    return joined(reader.problems(workflow), await ActivationChecks(context).problems(workflow))


async def problems_there(remote: RemoteWorkflows, document: dict[str, Json]) -> list[Problem]:
    """With the node types and the credentials of a daemon."""
    answer = await remote.ask("POST", "/workflows/validate", json=document)
    return [Problem(row["path"], row["message"], row["severity"]) for row in answer["problems"]]


def tell(found: Sequence[CheckedFile]) -> bool:
    """Print every problem, then a count; whether all is good."""
    for checked in found:
        if checked.source.problem:
            click.echo(f"{checked.source.name}: {checked.source.problem}")
        several = len(checked.problems) > 1
        for index, problems in enumerate(checked.problems):
            place = f"{checked.source.name}[{index}]" if several else checked.source.name
            for problem in problems:
                click.echo(f"{place}: {problem.severity}: {printable(problem.path)}: {printable(problem.message)}")
    count = sum(max(1, len(checked.problems)) for checked in found)
    good = all(checked.good for checked in found)
    click.echo(f"{count} checked, {'no errors' if good else 'there are errors'}.", err=True)
    return good


def tell_as_json(found: Sequence[CheckedFile]) -> bool:
    """The same for programs: a list of files, each with the problems of each of its workflows."""
    echo_json(
        [
            {
                "file": checked.source.name,
                "good": checked.good,
                "problem": checked.source.problem or None,
                "workflows": [validation_view(problems) for problems in checked.problems],
            }
            for checked in found
        ]
    )
    return all(checked.good for checked in found)


def validate(target: CommandTarget, files: Sequence[str], *, as_json: bool) -> bool:
    """Whether there is no error. A daemon that is named says so, else this machine. Raises `JackfieldError`."""

    async def here(context: PluginContext) -> list[CheckedFile]:
        return [await check(source, partial(problems_here, context)) for source in read_sources(files)]

    async def there(remote: RemoteWorkflows) -> list[CheckedFile]:
        return [await check(source, partial(problems_there, remote)) for source in read_sources(files)]

    if target.url:
        found = reach_daemon(target, there)
    else:
        found = target.cli.run("workflows", here, config_dir=target.config_dir)
    return (tell_as_json if as_json else tell)(found)
