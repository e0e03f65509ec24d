"""`jackfield workflow export`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.files import write_private
from jackfield.api.jsontext import Json
from jackfield_workflows.cli.access import SavedWorkflows, StoredWorkflows
from jackfield_workflows.cli.reaching import CommandTarget, pretty, reach


def export(
    target: CommandTarget, ids: Sequence[str], output: Path | None, *, as_list: bool, with_secrets: bool
) -> None:
    """ids: none is all; as_list: also of one. Raises `JackfieldError`."""
    documents = _exported(target, ids, with_secrets=with_secrets)
    if output is not None and output.is_dir():
        for document in documents:
            _write(output / _file_name(document), document, private=with_secrets)
        return
    body = documents if as_list or len(documents) > 1 else documents[0]
    if output is None:
        click.echo(pretty(body))
    else:
        _write(output, body, private=with_secrets)


def _exported(target: CommandTarget, ids: Sequence[str], *, with_secrets: bool) -> list[Mapping[str, Json]]:
    """ids: none is all. Raises `JackfieldError`."""

    async def work(found: SavedWorkflows) -> list[Mapping[str, Json]]:
        return [await found.read(workflow_id) for workflow_id in ids or await _all(found)]

    async def whole(context: PluginContext) -> list[Mapping[str, Json]]:
        found = StoredWorkflows(context)
        return [await found.read_whole(workflow_id) for workflow_id in ids or await _all(found)]

    if with_secrets:
        return target.cli.run("workflows", whole, config_dir=target.config_dir)
    return reach(target, work)


async def _all(found: SavedWorkflows) -> list[str]:
    return [str(row["id"]) for row in await found.rows()]


def _write(path: Path, body: object, *, private: bool) -> None:
    content = (pretty(body) + "\n").encode("utf-8", "replace")  # half a character is no text
    try:
        if private:
            write_private(path, content)
        else:
            path.write_bytes(content)
    except OSError as exc:
        raise JackfieldError(f"{path} cannot be written: {exc.strerror}.") from None
    click.echo(str(path), err=True)


def _file_name(document: Mapping[str, Json]) -> str:
    """From the name what any file system takes, and the id, so that no two are the same."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", str(document["name"])).strip("-").lower()[:60]
    return f"{plain or 'workflow'}-{document['id']}.json"
