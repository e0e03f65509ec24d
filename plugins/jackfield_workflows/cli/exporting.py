"""`jackfield workflow export`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from jackfield.api.cli import echo_json
from jackfield.api.context import PluginContext
from jackfield.api.daemon_commands import identified
from jackfield.api.errors import JackfieldError
from jackfield.api.files import write_private
from jackfield.api.jsontext import Json
from jackfield_workflows.cli.access import SavedWorkflows, StoredWorkflows
from jackfield_workflows.cli.passphrase import new_passphrase, passphrase_seal
from jackfield_workflows.cli.reaching import CommandTarget, pretty, reach


def export(target: CommandTarget, ids: Sequence[str], output: Path | None, *, as_list: bool, as_json: bool) -> None:
    """ids: none is all; as_list: also of one. Raises `JackfieldError`."""

    async def work(found: SavedWorkflows) -> list[Mapping[str, Json]]:
        return [await found.read(workflow_id) for workflow_id in await _chosen(found, ids)]

    _put(reach(target, work), output, as_list, as_json, _write)


def export_with_secrets(
    target: CommandTarget,
    ids: Sequence[str],
    output: Path | None,
    passphrase_file: Path | None,
    *,
    as_list: bool,
    as_json: bool,
) -> None:
    """The same with secrets, sealed with a passphrase, from the store itself. Raises `JackfieldError`."""
    passphrase = new_passphrase(passphrase_file)

    async def work(context: PluginContext) -> list[Mapping[str, Json]]:
        found, seal = StoredWorkflows(context), passphrase_seal(context, passphrase)
        whole = [await found.read_whole(workflow_id) for workflow_id in await _chosen(found, ids)]
        return [seal.seal(document) for document in whole]  # nothing else runs in a command

    documents = target.cli.run("workflows", work, config_dir=target.config_dir)
    _put(documents, output, as_list, as_json, _write_private)


def _put(
    documents: Sequence[Mapping[str, Json]],
    output: Path | None,
    as_list: bool,
    as_json: bool,
    write: Callable[[Path, bytes], None],
) -> None:
    body = documents if as_list or len(documents) > 1 else documents[0]
    if output is None:
        click.echo(pretty(body))
        return
    files = {output / _file_name(each): each for each in documents} if output.is_dir() else {output: body}
    for path, content in files.items():
        _write_to(path, content, write)
        if not as_json:
            click.echo(str(path), err=True)
    if as_json:
        echo_json({"files": [str(path) for path in files]})


async def _chosen(found: SavedWorkflows, named: Sequence[str]) -> list[str]:
    """Ids: of those that are named, else of all. Raises `NotFound`, `InvalidInput`."""
    rows = await found.rows()
    return [identified(rows, each, "workflow") for each in named] if named else [str(row["id"]) for row in rows]


def _write_to(path: Path, body: object, write: Callable[[Path, bytes], None]) -> None:
    content = (pretty(body) + "\n").encode("utf-8", "replace")  # half a character is no text
    try:
        write(path, content)
    except OSError as exc:
        raise JackfieldError(f"{path} cannot be written: {exc.strerror}.") from None


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _write_private(path: Path, content: bytes) -> None:
    write_private(path, content)


def _file_name(document: Mapping[str, Json]) -> str:
    """From the name what any file system takes, and the id, so that no two are the same."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", str(document["name"])).strip("-").lower()[:60]
    return f"{plain or 'workflow'}-{document['id']}.json"
