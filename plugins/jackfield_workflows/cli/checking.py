"""`jackfield workflow validate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.cli import Cli, echo_json
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.records import record
from jackfield.api.workflows import Problem
from jackfield_workflows.activation.starters import start_problems, starters
from jackfield_workflows.activation.trigger_calls import TriggerCalls
from jackfield_workflows.cli.progress import printable
from jackfield_workflows.cli.sources import WorkflowFile, read_sources
from jackfield_workflows.documents.credential_exports import refuse_credential
from jackfield_workflows.saved.views import validation_view


@record
class CheckedFile:
    """What is wrong in one file: per workflow its problems, and why the file could not be read."""

    source: WorkflowFile
    problems: Sequence[Sequence[Problem]] = ()

    @property
    def good(self) -> bool:
        return not self.source.problem and not any(p.severity == "error" for each in self.problems for p in each)


async def check(context: PluginContext, source: WorkflowFile) -> CheckedFile:
    return CheckedFile(source, [_problems(context, document) for document in source.documents])


def _problems(context: PluginContext, document: Json) -> list[Problem]:
    """Of the structure, else of nodes, parameters and wires."""
    if not isinstance(document, dict):
        return [Problem("body", "A workflow must be an object with nodes and connections.")]
    reader = context.port(WorkflowReader)
    try:
        refuse_credential(document)
        workflow = reader.parse(document)
        found = reader.problems(workflow)
        begin = starters(workflow, context.port(NodeCatalog), context.port(TriggerCalls))
        known = {(problem.path, problem.severity) for problem in found}
        return [*found, *(each for each in start_problems(workflow, begin) if (each.path, each.severity) not in known)]
    except InvalidInput as exc:
        return [Problem(path, str(message)) for path, message in (exc.details or {"body": exc.message}).items()]


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


def validate(cli: Cli, files: Sequence[str], config_dir: Path | None, *, as_json: bool) -> bool:
    """Whether there is no error. Raises `JackfieldError`."""

    async def work(context: PluginContext) -> bool:
        found = [await check(context, source) for source in read_sources(files)]
        return (tell_as_json if as_json else tell)(found)

    return cli.run("workflows", work, config_dir=config_dir)
