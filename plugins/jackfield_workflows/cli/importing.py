"""`jackfield workflow import`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jackfield.api.cli import echo_json
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.records import record, replace
from jackfield_workflows.cli.access import SavedWorkflows
from jackfield_workflows.cli.passphrase import known_passphrase, passphrase_seal
from jackfield_workflows.cli.progress import printable
from jackfield_workflows.cli.reaching import CommandTarget, reach, with_details
from jackfield_workflows.cli.sources import WorkflowFile, read_sources
from jackfield_workflows.documents.credential_exports import EXPORT, is_export
from jackfield_workflows.documents.sealing import is_sealed

if TYPE_CHECKING:
    from jackfield_workflows.documents.passphrases import PassphraseSeal


@record
class ImportedFile:
    """The result of one file. problem: why it was refused as a whole; results: as the API tells them."""

    name: str
    problem: str
    results: Sequence[Mapping[str, Any]] = ()
    good: bool = False


def import_files(
    target: CommandTarget, files: Sequence[str], passphrase_file: Path | None, *, partial: bool, as_json: bool
) -> bool:
    """Whether all was imported. Raises `JackfieldError`."""
    sources = _opened(target, list(read_sources(files)), passphrase_file)

    async def work(found: SavedWorkflows) -> list[ImportedFile]:
        return [await _import(found, source, partial) for source in sources if source.problem or source.documents]

    done = reach(target, work)
    if as_json:
        echo_json([{"file": one.name, "problem": one.problem or None, "results": one.results} for one in done])
    else:
        for one in done:
            _tell(one)
    return all(one.good for one in done)


def _opened(
    target: CommandTarget, sources: Sequence[WorkflowFile], passphrase_file: Path | None
) -> Sequence[WorkflowFile]:
    """The files with the secrets that a passphrase opens; it is asked for when one needs it. Raises
    `JackfieldError`."""
    if not any(is_sealed(document) for source in sources for document in source.documents):
        return sources
    passphrase = known_passphrase(passphrase_file)

    async def work(context: PluginContext) -> list[WorkflowFile]:
        seal = passphrase_seal(context, passphrase)
        return [_with_secrets(source, seal) for source in sources]

    # The files need this machine's node types alone, whatever daemon gets them.
    return target.cli.run_in(target.cli.config_dir(target.config_dir), "workflows", work)


def _with_secrets(source: WorkflowFile, seal: PassphraseSeal) -> WorkflowFile:
    try:
        opened = [seal.open(each) if isinstance(each, dict) else each for each in source.documents]
    except InvalidInput as exc:
        return replace(source, documents=(), problem=exc.message)
    return replace(source, documents=opened)


async def _import(found: SavedWorkflows, source: WorkflowFile, partial: bool) -> ImportedFile:
    """One file; one that is refused as a whole does not keep the others from being imported."""
    problem = EXPORT if is_export(source.documents) else source.problem
    if problem:
        return ImportedFile(source.name, problem)
    try:
        answer = await found.put(source.documents, partial=partial)
    except InvalidInput as exc:
        return ImportedFile(source.name, with_details(exc))
    results: Any = answer["results"]  # a list of `imports.Imported`, as JSON
    return ImportedFile(source.name, "", results, good=bool(answer["imported"]))


def _tell(done: ImportedFile) -> None:
    """One line per workflow."""
    if done.problem:
        click.echo(f"{done.name}: {done.problem}", err=True)
    for found in done.results:
        good = found["status"] in ("created", "updated")
        shown = f"{printable(found['name'])} ({done.name})"
        click.echo(f"{found['status']:<8} {found['id'] or '-':<36} {shown}", err=not good)
        _tell_problems(found["problems"], "         ")


def _tell_problems(problems: Sequence[Mapping[str, Any]], indent: str) -> None:
    for problem in problems:
        click.echo(
            f"{indent}{problem['severity']}: {printable(problem['path'])}: {printable(problem['message'])}", err=True
        )
