"""`jackfield workflow`: import, export, run, validate, list."""

from __future__ import annotations

import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from jackfield.api.cli import Cli, config_dir_option
from jackfield.api.context import WorkflowReader
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.ids import is_uuid
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext, Service
    from jackfield.api.jsontext import Json
    from jackfield_workflows.cli.access import Workflows
    from jackfield_workflows.cli.progress import Ended
    from jackfield_workflows.cli.sources import Source

T = TypeVar("T")
CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say
FAILED, UNUSABLE = 1, 2
FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...|-")


@record
class Target:
    """Where the workflows are: what the options of each command say."""

    cli: Cli
    config_dir: Path | None
    url: str | None
    api_key: str | None


def daemon_options(command: CommandT) -> CommandT:
    """`--config-dir`, `--url`, `--api-key`."""
    key = click.option(
        "--api-key",
        envvar="JACKFIELD_API_KEY",
        help="Key for the running daemon; better given as JACKFIELD_API_KEY, which no process list shows.",
    )
    url = click.option("--url", envvar="JACKFIELD_URL", help="The running daemon (default: as its settings say).")
    return config_dir_option(url(key(command)))


@click.group()
def workflow() -> None:
    """Workflows: import, export, run, validate, list. n8n's files are understood."""


@workflow.command("import")
@FILES
@click.option("--partial", is_flag=True, help="Of a file with several workflows import those without mistakes.")
@daemon_options
@click.pass_obj
def import_files(
    cli: Cli, files: tuple[str, ...], partial: bool, config_dir: Path | None, url: str | None, api_key: str | None
) -> None:
    """Save the workflows of files, of directories (every *.json below), or of standard input.

    A workflow whose id exists here becomes its new version; all others are created, inactive. A file is imported as a
    whole or not at all. Exit code 1 when something was not imported.
    """
    from jackfield_workflows.cli.sources import read_sources

    async def work(found: Workflows) -> bool:
        good = True
        for source in read_sources(files):
            if source.problem:
                click.echo(f"{source.name}: {source.problem}", err=True)
                good = False
            elif source.documents:
                good = await _import(found, source, partial) and good
        return good

    if not _reach(Target(cli, config_dir, url, api_key), work):
        sys.exit(FAILED)


async def _import(found: Workflows, source: Source, partial: bool) -> bool:
    """One file; one that is refused as a whole does not keep the others from being imported."""
    from jackfield_workflows.documents.credential_exports import EXPORT, is_export

    if is_export(source.documents):
        click.echo(f"{source.name}: {EXPORT}", err=True)
        return False
    try:
        answer = await found.put(source.documents, partial=partial)
    except InvalidInput as exc:
        click.echo(f"{source.name}: {_with_details(exc)}", err=True)
        return False
    return _tell_imported(source.name, answer)


def _tell_imported(name: str, answer: Mapping[str, Json]) -> bool:
    """One line per workflow; False when one was not imported."""
    from jackfield_workflows.cli.progress import printable

    results: Any = answer["results"]  # a list of `imports.Imported`, as JSON
    for found in results:
        good = found["status"] in ("created", "updated")
        click.echo(f"{found['status']:<8} {found['id'] or '-':<36} {printable(found['name'])} ({name})", err=not good)
        _tell_problems(found["problems"], "         ")
    return bool(answer["imported"])


def _tell_problems(problems: Sequence[Mapping[str, Any]], indent: str) -> None:
    from jackfield_workflows.cli.progress import printable

    for problem in problems:
        click.echo(
            f"{indent}{problem['severity']}: {printable(problem['path'])}: {printable(problem['message'])}", err=True
        )


@workflow.command("export")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Every workflow.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File, or a directory for one file each.")
@click.option(
    "--with-secrets",
    is_flag=True,
    help="With the secrets of nodes, from this machine's store: files that only you may read.",
)
@daemon_options
@click.pass_obj
def export(
    cli: Cli,
    ids: tuple[str, ...],
    everything: bool,
    output: Path | None,
    with_secrets: bool,
    config_dir: Path | None,
    url: str | None,
    api_key: str | None,
) -> None:
    """Write workflows as JSON: one as an object, several or --all as a list.

    Secrets of nodes are written as ***; imported again, such a workflow keeps those that are stored of it.
    """
    if bool(ids) == everything:
        raise click.UsageError("Give the ids of workflows, or --all.")
    if with_secrets and url:
        raise click.UsageError("--with-secrets reads the store of this machine; leave out --url and JACKFIELD_URL.")
    documents = _exported(Target(cli, config_dir, url, api_key), ids, with_secrets=with_secrets)
    if output is not None and output.is_dir():
        for document in documents:
            _write(output / _file_name(document), document, private=with_secrets)
        return
    body = documents if everything or len(documents) > 1 else documents[0]
    if output is None:
        click.echo(_pretty(body))
    else:
        _write(output, body, private=with_secrets)


def _exported(target: Target, ids: Sequence[str], *, with_secrets: bool) -> list[Mapping[str, Json]]:
    """ids: none is all. Raises `JackfieldError`."""

    async def work(found: Workflows) -> list[Mapping[str, Json]]:
        return [await found.read(workflow_id) for workflow_id in ids or await _all(found)]

    async def whole(context: PluginContext) -> list[Mapping[str, Json]]:
        from jackfield_workflows.cli.access import StoredWorkflows

        found = StoredWorkflows(context)
        return [await found.read_whole(workflow_id) for workflow_id in ids or await _all(found)]

    if with_secrets:
        return target.cli.run("workflows", whole, config_dir=target.config_dir)
    return _reach(target, work)


async def _all(found: Workflows) -> list[str]:
    return [str(row["id"]) for row in await found.rows()]


def _pretty(body: object) -> str:
    import json

    return json.dumps(body, ensure_ascii=False, indent=2, default=str)


def _write(path: Path, body: object, *, private: bool) -> None:
    from jackfield.api.files import write_private

    content = (_pretty(body) + "\n").encode("utf-8", "replace")  # half a character is no text
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


@workflow.command()
@click.argument("what", metavar="FILE|ID|-")
@click.option("--input", "given", metavar="JSON|@FILE|-", help="Items for the start node.")
@click.option("--start", metavar="NODE", help="The node to start at; the items stand for what it gives.")
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object.")
@click.option("--quiet", is_flag=True, help="No progress.")
@daemon_options
@click.pass_obj
def run(
    cli: Cli,
    what: str,
    given: str | None,
    start: str | None,
    as_json: bool,
    quiet: bool,
    config_dir: Path | None,
    url: str | None,
    api_key: str | None,
) -> None:
    """Run a workflow once, by hand, and show the items of its last node.

    With a running daemon it runs there and is in its history; without one it runs here and leaves nothing behind.
    Exit code 0: it succeeded, 1: it failed or was cancelled, 2: it could not be run.
    """
    from jackfield_workflows.cli.progress import Progress, show
    from jackfield_workflows.cli.sources import STDIN

    if what == STDIN and given == STDIN:
        raise click.UsageError("Standard input is either the workflow or its input.")
    try:
        ended = _run(Target(cli, config_dir, url, api_key), what, given, start, Progress(quiet=quiet))
    except JackfieldError as exc:
        click.echo(f"jackfield: {_with_details(exc)}", err=True)
        sys.exit(UNUSABLE)
    show(ended, as_json=as_json)
    sys.exit(ended.exit_code)


def _run(target: Target, what: str, given: str | None, start: str | None, progress: Any) -> Ended:
    """progress: `Progress`, whose module is loaded when a command needs it. Raises `JackfieldError`."""
    from jackfield_workflows.cli.progress import CANCELLED
    from jackfield_workflows.cli.sources import read_input, read_one

    items = read_input(given)
    document: Any = what if is_uuid(what) and not Path(what).exists() else read_one(what)

    async def work(context: PluginContext) -> Ended:
        from jackfield_workflows.cli.access import daemon_runs
        from jackfield_workflows.cli.interrupts import cancelled_by_interrupt

        if target.url or daemon_runs(context.service.config_dir):
            from jackfield_workflows.cli.remote import RemoteWorkflows
            from jackfield_workflows.cli.remote_run import run_there

            async with RemoteWorkflows(_daemon(target, context)) as remote:
                return await cancelled_by_interrupt(run_there(remote, document, items, start, progress), CANCELLED)
        from jackfield_workflows.cli.local_run import run_here

        reader = context.port(WorkflowReader)
        loaded = await reader.load(document) if isinstance(document, str) else reader.parse(document)
        return await cancelled_by_interrupt(run_here(context, loaded, items, start, progress), CANCELLED)

    return target.cli.run("workflows", work, config_dir=target.config_dir)


@workflow.command()
@FILES
@config_dir_option
@click.pass_obj
def validate(cli: Cli, files: tuple[str, ...], config_dir: Path | None) -> None:
    """Say what is wrong with the workflows of files, without saving or running anything.

    Node types that no plugin provides are warnings: the rest of the workflow can run. Exit code 1 when there is an
    error.
    """
    from jackfield_workflows.cli.checking import check, tell
    from jackfield_workflows.cli.sources import read_sources

    async def work(context: PluginContext) -> bool:
        return tell([await check(context, source) for source in read_sources(files)])

    if not cli.run("workflows", work, config_dir=config_dir):
        sys.exit(FAILED)


@workflow.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@daemon_options
@click.pass_obj
def list_workflows(cli: Cli, as_json: bool, config_dir: Path | None, url: str | None, api_key: str | None) -> None:
    """List the saved workflows, the last changed first."""

    async def work(found: Workflows) -> list[Mapping[str, Json]]:
        return await found.rows()

    rows = _reach(Target(cli, config_dir, url, api_key), work)
    if as_json:
        click.echo(_pretty(rows))
        return
    from jackfield_workflows.cli.progress import printable

    for row in rows:
        live = "active" if row["active"] else "-"
        click.echo(f"{row['id']}  {live:<6}  {row['nodeCount']!s:>4} nodes  {printable(str(row['name']))}")
    if not rows:
        click.echo("There is no workflow.", err=True)


def _reach(target: Target, work: Callable[[Workflows], Awaitable[T]]) -> T:
    """Do the work on the daemon's workflows when one runs, else on the store's. Raises `JackfieldError`."""

    async def reached(context: PluginContext) -> T:
        from jackfield_workflows.cli.access import StoredWorkflows, daemon_runs

        if target.url or daemon_runs(context.service.config_dir):
            from jackfield_workflows.cli.remote import RemoteWorkflows

            async with RemoteWorkflows(_daemon(target, context)) as remote:
                return await work(remote)
        return await work(StoredWorkflows(context))

    return target.cli.run("workflows", reached, config_dir=target.config_dir)


def _daemon(target: Target, context: PluginContext) -> Any:
    """`remote.Daemon`, whose module is loaded when a command needs it."""
    from jackfield_workflows.cli.remote import Daemon

    return Daemon(target.url or _address(context.service), target.api_key)


def _address(service: Service) -> str:
    """Where the daemon says that it listens, else where its settings say."""
    from jackfield.api.daemon import DaemonAbsent, DaemonClient

    try:
        return DaemonClient(service.config_dir).base
    except DaemonAbsent:
        host = "127.0.0.1" if service.host in ("0.0.0.0", "::") else service.host  # noqa: S104 - to compare with
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{service.port}"


def _with_details(error: JackfieldError) -> str:
    from jackfield_workflows.cli.progress import printable

    details = "".join(f"\n  {printable(path)}: {printable(str(text))}" for path, text in (error.details or {}).items())
    return f"{printable(error.message)}{details}"
