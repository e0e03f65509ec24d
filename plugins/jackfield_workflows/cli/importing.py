"""`jackfield workflow import`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield_workflows.cli.access import SavedWorkflows
from jackfield_workflows.cli.passphrase import known_passphrase
from jackfield_workflows.cli.progress import printable
from jackfield_workflows.cli.reaching import CommandTarget, reach, with_details
from jackfield_workflows.cli.sources import WorkflowFile, read_sources
from jackfield_workflows.documents.credential_exports import EXPORT, is_export
from jackfield_workflows.documents.passphrases import PassphraseSeal, is_sealed


def import_files(target: CommandTarget, files: Sequence[str], passphrase_file: Path | None, *, partial: bool) -> bool:
    """Whether all was imported. Raises `JackfieldError`."""
    sources = _opened(target, list(read_sources(files)), passphrase_file)

    async def work(found: SavedWorkflows) -> bool:
        good = True
        for source in sources:
            if source.problem:
                click.echo(f"{source.name}: {source.problem}", err=True)
                good = False
            elif source.documents:
                good = await _import(found, source, partial) and good
        return good

    return reach(target, work)


def _opened(
    target: CommandTarget, sources: Sequence[WorkflowFile], passphrase_file: Path | None
) -> Sequence[WorkflowFile]:
    """The files with the secrets that a passphrase opens; it is asked for when one needs it. Raises
    `JackfieldError`."""
    if not any(is_sealed(document) for source in sources for document in source.documents):
        return sources
    passphrase = known_passphrase(passphrase_file)

    async def work(context: PluginContext) -> list[WorkflowFile]:
        seal = PassphraseSeal(context, passphrase)
        return [_with_secrets(source, seal) for source in sources]

    return target.cli.run("workflows", work, config_dir=target.config_dir)


def _with_secrets(source: WorkflowFile, seal: PassphraseSeal) -> WorkflowFile:
    try:
        opened = [seal.open(each) if isinstance(each, dict) else each for each in source.documents]
    except InvalidInput as exc:
        return replace(source, documents=(), problem=exc.message)
    return replace(source, documents=opened)


async def _import(found: SavedWorkflows, source: WorkflowFile, partial: bool) -> bool:
    """One file; one that is refused as a whole does not keep the others from being imported."""
    if is_export(source.documents):
        click.echo(f"{source.name}: {EXPORT}", err=True)
        return False
    try:
        answer = await found.put(source.documents, partial=partial)
    except InvalidInput as exc:
        click.echo(f"{source.name}: {with_details(exc)}", err=True)
        return False
    return _tell_imported(source.name, answer)


def _tell_imported(name: str, answer: Mapping[str, Json]) -> bool:
    """One line per workflow; False when one was not imported."""
    results: Any = answer["results"]  # a list of `imports.Imported`, as JSON
    for found in results:
        good = found["status"] in ("created", "updated")
        click.echo(f"{found['status']:<8} {found['id'] or '-':<36} {printable(found['name'])} ({name})", err=not good)
        _tell_problems(found["problems"], "         ")
    return bool(answer["imported"])


def _tell_problems(problems: Sequence[Mapping[str, Any]], indent: str) -> None:
    for problem in problems:
        click.echo(
            f"{indent}{problem['severity']}: {printable(problem['path'])}: {printable(problem['message'])}", err=True
        )
