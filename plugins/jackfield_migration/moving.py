"""`jackfield import n8n`: this process reads n8n's files, and the daemon gets documents, piece by piece."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from jackfield.api.cli import echo_json, progress_bar
from jackfield.api.daemon_commands import DaemonCall
from jackfield.api.errors import InvalidInput
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.records import record, replace
from jackfield.api.workflows import Problem
from jackfield_migration.bundle import Bundle, BundleDocument
from jackfield_migration.identities import foreign_id
from jackfield_migration.printing import print_report
from jackfield_migration.reading.cipher import DataKey, N8nCipher, WrongKey
from jackfield_migration.reading.files import BundleReader
from jackfield_migration.report import DONE, Result, read_report, report_view
from jackfield_migration.settings import MigrationSettings
from jackfield_migration.together import links_of, once, told_together

PIECE = 3 * 2**20
"""Bytes of documents in one request: what the daemon's limits of memory let pass, whatever is in them."""
MOST = 100
"""Documents in one request: so somebody who waits sees it go on."""
TOGETHER = 100
"""Workflows that one request activates."""
_KEY = "N8N_ENCRYPTION_KEY"
_KEYS_LIMIT = 64 * 1024


@record
class Request:
    """The arguments of the command line."""

    paths: Sequence[Path]
    key_file: Path | None
    postgres: bool
    activate: bool
    dry_run: bool
    source: str


def move_in(call: DaemonCall, request: Request) -> bool:
    """Import, and print the report. Whether everything is here now. Raises `JackfieldError`."""
    bundle, cipher = _read(request)
    _open_credentials(bundle, cipher)
    chosen, skipped = once(bundle.workflows)
    bundle.workflows = [*chosen.values()]
    views: list[Mapping[str, Json]] = []
    with progress_bar(bundle.size() - len(bundle.tags), "Importing", quiet=call.as_json) as bar:
        for piece in _pieces(bundle):
            views.append(_sent(call, request, piece, bundle))
            bar.update(len(piece))
    report = read_report(views, bundle, dry_run=request.dry_run)
    report = replace(report, results=[*skipped, *told_together(report.results, links_of(chosen))])
    if request.activate and not request.dry_run:
        report = replace(report, results=_activated(call, report.results))
    view = report_view(report)
    if call.as_json:
        echo_json(view)
    else:
        print_report(report)
    return bool(view["complete"])


def _read(request: Request) -> tuple[Bundle, N8nCipher | None]:
    keys = _keys(request)
    reading = BundleReader(Bundle(), N8nCipher(keys) if keys else None, MigrationSettings().document_limit)
    for path in request.paths:
        reading.path(path)
    if request.postgres:
        reading.learn(_postgres_reader()(reading.bundle, os.environ))
    return reading.bundle, reading.cipher


def _postgres_reader() -> Callable[[Bundle, Mapping[str, str]], Sequence[DataKey]]:
    """Raises `InvalidInput` without the driver."""
    try:
        found = load("jackfield_migration.reading.postgres:read_postgres")
    except ModuleNotFoundError:
        raise InvalidInput("To read PostgreSQL, install pip install 'jackfield[postgres]'.") from None
    return cast("Callable[[Bundle, Mapping[str, str]], Sequence[DataKey]]", found)


def _keys(request: Request) -> list[str]:
    """From the file, else from the environment, else from beside the database. Raises `InvalidInput`."""
    if request.key_file is not None:
        return _lines(_text(request.key_file))
    if found := os.environ.get(_KEY):
        return _lines(found)
    beside = (path / "config" if path.is_dir() else path.with_name("config") for path in request.paths)
    return [key for path in beside if (key := _config_key(path))]


def _text(path: Path) -> str:
    try:
        if str(path) == "-":
            return sys.stdin.read(_KEYS_LIMIT)
        with path.open(encoding="utf-8") as file:
            return file.read(_KEYS_LIMIT)
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "it is no text"
        raise InvalidInput(f"The file of the encryption key cannot be read: {reason}.") from None


def _lines(text: str) -> list[str]:
    """Raises `InvalidInput`."""
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if len(found) == 1 and found[0].startswith("{"):
        return [key] if (key := _key_of(found[0])) else []
    if not found:
        raise InvalidInput("There is no encryption key in what was given.")
    return found


def _config_key(path: Path) -> str:
    """The key in n8n's file of settings; empty without one."""
    try:
        with path.open(encoding="utf-8") as file:
            return _key_of(file.read(_KEYS_LIMIT))
    except (OSError, UnicodeDecodeError):
        return ""


def _key_of(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    key = found.get("encryptionKey") if isinstance(found, dict) else None
    return key if isinstance(key, str) else ""


def _open_credentials(bundle: Bundle, cipher: N8nCipher | None) -> None:
    """So that the daemon gets no key. A credential that cannot be opened goes as it is, and is refused there, with the
    reason."""
    opened: list[BundleDocument] = []
    for source in bundle.credentials:
        data = source.document.get("data")
        if isinstance(data, str) and cipher is not None:
            try:
                source = replace(source, document={**source.document, "data": cipher.values(data)})
            except WrongKey as exc:
                bundle.fail(f"{source.origin}, credential {source.document.get('name')}", exc.message)
                continue
        opened.append(source)
    bundle.credentials = opened


Piece = list[tuple[str, BundleDocument]]


def _pieces(bundle: Bundle) -> Iterator[Piece]:
    """Credentials come first, since workflows refer to them. At least one piece, so that the daemon has its say."""
    rows = [
        *(("credentials", each) for each in bundle.credentials),
        *(("variables", each) for each in bundle.variables),
        *(("dataTables", each) for each in bundle.data_tables),
        *(("workflows", each) for each in bundle.workflows),
    ]
    piece: Piece = []
    size = 0
    for row in rows:
        length = len(dumps(dict(row[1].document)))
        if piece and (size + length > PIECE or len(piece) >= MOST):
            yield piece
            piece, size = [], 0
        piece.append(row)
        size += length
    if piece:
        yield piece


def _sent(call: DaemonCall, request: Request, piece: Piece, bundle: Bundle) -> Mapping[str, Json]:
    """The daemon's answers. For a piece that it refuses as a whole, each document has a line."""
    body: dict[str, Any] = {key: [] for key in ("credentials", "variables", "dataTables", "workflows")}
    for key, source in piece:
        body[key].append(dict(source.document))
    body["origins"] = {key: [source.origin for name, source in piece if name == key] for key in list(body)}
    body["remarks"] = [source.remark for name, source in piece if name == "workflows"]
    body["following"] = [foreign_id(source.document) for source in bundle.workflows]
    query = {"source": request.source, "dryRun": "true" if request.dry_run else "false"}
    try:
        return cast("Mapping[str, Json]", call.ask("POST", "/import", query=query, body=body))
    except InvalidInput as exc:
        if len(piece) == 1:
            return _refused(piece[0][1], exc)
    halves = (piece[: len(piece) // 2], piece[len(piece) // 2 :])
    views = [cast("Mapping[str, Any]", _sent(call, request, half, bundle)) for half in halves]
    return {key: [row for view in views for row in view.get(key, ())] for key in ("results", "unreadable")}


def _refused(source: BundleDocument, error: InvalidInput) -> Mapping[str, Json]:
    origin = f"{source.origin}, {source.document.get('name')}"
    return {"results": [], "unreadable": [{"origin": origin, "reason": error.message}]}


def _activated(call: DaemonCall, results: Sequence[Result]) -> list[Result]:
    """Once everything is here: a workflow may call any other."""
    wanted = [
        each.id for each in results if each.was_active and each.active is False and each.id and each.status in DONE
    ]
    answers: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(wanted), TOGETHER):
        rows = call.ask("POST", "/import/activate", body={"workflows": wanted[start : start + TOGETHER]})["data"]
        answers.update({row["id"]: row for row in rows})
    return [_with_state(each, answers[each.id]) if each.id in answers else each for each in results]


def _with_state(result: Result, answer: Mapping[str, Any]) -> Result:
    problems = [Problem(row["path"], row["message"]) for row in answer["problems"]]
    return replace(result, active=answer["active"], problems=[*problems, *result.problems])
