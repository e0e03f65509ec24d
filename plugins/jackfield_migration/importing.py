"""One import: credentials and variables first, then workflows, which refer to them.

The map of ids is kept before the workflows that use it. So an import that breaks off goes on where it was when it is
repeated. Each document is stored as a whole or not at all; what is wrong with one keeps none of the others back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import AccessDenied, InvalidInput, JackfieldError
from jackfield.api.ids import is_uuid
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.large_json import off_loop
from jackfield.api.records import record, replace
from jackfield.api.saved_documents import SavedDocuments
from jackfield.api.workflows import Document, Problem
from jackfield_migration.bundle import Bundle, BundleDocument
from jackfield_migration.credentials import CredentialImport
from jackfield_migration.data_tables import DataTableImport
from jackfield_migration.identities import CREDENTIAL, WORKFLOW, IdMap, content_digest
from jackfield_migration.places import folder_of
from jackfield_migration.reading.cipher import N8nCipher
from jackfield_migration.redaction import REMARK, is_redacted
from jackfield_migration.report import DONE, MigrationReport, Result, Status, Told, report_of
from jackfield_migration.rewriting import Rewritten, rewritten
from jackfield_migration.settings import MigrationSettings
from jackfield_migration.together import once, told_together
from jackfield_migration.variables import VariableImport
from jackfield_migration.verdicts import is_called, judged, starts_itself

MAX_NAME = 255
UNTITLED = "Untitled workflow"
BY_HAND = (
    "It was active in n8n, but only a person can start it here: it has no trigger that is switched on. Start it by "
    "hand, or give it a trigger."
)


@record
class Options:
    """source: the n8n installation, whose ids mean nothing elsewhere. following: ids of workflows that requests of the
    same import bring. The caller who sends several reports circles and names that several have. `activate`: make live
    what was live in n8n."""

    author: Principal
    source: str = "n8n"
    dry_run: bool = False
    activate: bool = False
    following: frozenset[str] = field(default_factory=frozenset)


@record
class _Planned:
    """A workflow that is to be stored."""

    source: BundleDocument
    foreign_id: str
    own_id: str
    made: Rewritten


class BundleImporter:
    """Imports one bundle after another."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(MigrationSettings)
        self._turn = asyncio.Lock()

    async def run(self, bundle: Bundle, cipher: N8nCipher | None, options: Options, told: Told) -> MigrationReport:
        """Raises `StoreUnavailable` when nothing can be kept."""
        async with self._turn:  # two at once would each give the same document an id
            return await self._run(bundle, cipher, options, told)

    async def _run(self, bundle: Bundle, cipher: N8nCipher | None, options: Options, told: Told) -> MigrationReport:
        ids = IdMap(self._context, options.source, CREDENTIAL)
        await ids.load()
        credentials = CredentialImport(self._context, ids, cipher, told, dry_run=options.dry_run)
        results = await credentials.run(bundle.credentials)
        results += await VariableImport(self._context, told, dry_run=options.dry_run).run(bundle.variables)
        tables = DataTableImport(self._context, options.source, told, dry_run=options.dry_run)
        results += await tables.run(bundle.data_tables)
        workflows = _WorkflowImport(self._context, options, told, credentials, ids, self._settings.concurrency)
        results += await workflows.run(bundle.workflows)
        return report_of(results, bundle, dry_run=options.dry_run)


class _WorkflowImport:
    def __init__(
        self, context: PluginContext, options: Options, told: Told, credentials: CredentialImport,
        credential_ids: IdMap, concurrency: int,
    ) -> None:  # fmt: skip
        self._context = context
        self._told = told
        self._options = options
        self._credentials = credentials
        self._credential_ids = credential_ids
        self._ids = IdMap(context, options.source, WORKFLOW)
        self._turns = asyncio.Semaphore(concurrency)
        self._coming: set[str] = set()
        self._here: dict[str, int] = {}
        """Own id -> the version that is here; 0: none."""

    async def run(self, sources: Sequence[BundleDocument]) -> list[Result]:
        await self._ids.load()
        planned, results = self._plan(sources)
        if not self._options.dry_run:
            await self._ids.save()
            await self._credential_ids.save()
        self._coming = {each.own_id for each in planned} | {self._ids.own(each) for each in self._options.following}
        await self._look_for(planned)
        results += await asyncio.gather(*(self._one(each) for each in planned))
        if self._options.activate and not self._options.dry_run:
            results = [await self._activated(result) for result in results]
        links = {each.foreign_id: [link.foreign_id for link in each.made.links] for each in planned}
        return results if self._options.following else told_together(results, links)

    # -- what is to be done

    def _plan(self, sources: Sequence[BundleDocument]) -> tuple[list[_Planned], list[Result]]:
        """Each id once; an own id for each of them before any document is rewritten."""
        chosen, results = once(sources)
        for ident in chosen:
            self._ids.own(ident, _uuid(ident))
        return [self._planned(ident, source) for ident, source in chosen.items()], results

    def _planned(self, ident: str, source: BundleDocument) -> _Planned:
        made = rewritten(
            _named(source.document),
            self._ids.own,
            self._credentials.find,
            lambda text: self._ids.find(text) is not None,
        )
        return _Planned(source, ident, self._ids.own(ident), made)

    async def _look_for(self, planned: Sequence[_Planned]) -> None:
        """Which of the workflows that are concerned are here already."""
        wanted = {each.own_id for each in planned}
        wanted |= {self._ids.own(link.foreign_id) for each in planned for link in each.made.links}
        for own in wanted:
            row = await self._context.store.workflow_row(own)
            self._here[own] = 0 if row is None else row.version

    # -- one document

    async def _one(self, planned: _Planned) -> Result:
        async with self._turns:
            document, ident = planned.made.document, planned.foreign_id
            blank = Result(
                "workflow", _name(document), ident, planned.source.origin, "created", planned.own_id,
                was_active=_was_active(planned.source.document),
            )  # fmt: skip
            try:
                workflow = await off_loop(
                    document,
                    lambda: self._context.port(WorkflowReader).parse(document, id=planned.own_id, version=1),
                )
                status, active, unplaced = await self._kept(planned, blank)
            except JackfieldError as exc:
                return _failed(blank, exc)
            verdict, problems = await judged(
                self._context, workflow, planned.made, self._ids.own,
                workflows=lambda own: bool(self._here.get(own)) or own in self._coming,
                credentials=self._credentials.present,
            )  # fmt: skip
            problems += [*unplaced, *_remarks(planned.source)]
            if not starts_itself(self._context, workflow):
                active = None
                if blank.was_active and not is_called(workflow):
                    problems.append(Problem("active", BY_HAND, "warning"))
            return replace(blank, status=status, verdict=verdict, active=active, problems=problems)

    async def _kept(self, planned: _Planned, blank: Result) -> tuple[Status, bool | None, Sequence[Problem]]:
        """The status, whether it is live, and why it is not in its folder. Raises `JackfieldError`."""
        digest, known = content_digest(planned.made.document), self._ids.digest(planned.foreign_id)
        version = self._here[planned.own_id]
        if version and digest == known:
            row = await self._context.store.workflow_row(planned.own_id)
            return "unchanged", row is not None and row.active, ()
        if self._options.dry_run:
            return ("updated" if version else "created"), False, ()
        port, author = self._context.port(SavedDocuments), self._options.author
        if version:
            stored = await port.replace(planned.own_id, planned.made.document, author)
        else:
            stored = await port.create(planned.made.document, author, id=planned.own_id)
        status = _status(version, stored.version)
        if status != "unchanged":
            self._told(blank)
        unplaced: Sequence[Problem] = ()
        if not known:
            await self._static_data(planned)
            unplaced = await self._placed(planned)
        # Behind all that belongs to the document: an import that broke off before this does it again.
        self._ids.imported(planned.foreign_id, digest)
        await self._ids.save()
        return status, stored.active, unplaced

    async def _static_data(self, planned: _Planned) -> None:
        """The memory of triggers and Code nodes, unless they remember something here already."""
        found, store = planned.source.document.get("staticData"), self._context.store
        if isinstance(found, dict) and found:
            await store.set_static_data(planned.own_id, dumps(found), None)

    async def _placed(self, planned: _Planned) -> list[Problem]:
        """Into its folder, unless somebody has put it into one."""
        path, port = folder_of(planned.source.document), self._context.port(SavedDocuments)
        try:
            if path and not await port.folder_path(planned.own_id):
                await port.put_into(planned.own_id, path)
        except JackfieldError as exc:
            return [Problem("parentFolder", f"It is in no folder here: {exc.message}", "warning")]
        return []

    async def _activated(self, result: Result) -> Result:
        if not result.was_active or result.active is not False or result.status not in DONE or result.id is None:
            return result
        try:
            await self._context.port(SavedDocuments).set_active(result.id, True, self._options.author)
        except JackfieldError as exc:
            return replace(result, active=False, problems=[*result.problems, *_problems(exc, "active")])
        return replace(result, active=True)


def _status(before: int, now: int) -> Status:
    if not before:
        return "created"
    return "unchanged" if before == now else "updated"


def _failed(blank: Result, error: JackfieldError) -> Result:
    status: Status = "refused" if isinstance(error, AccessDenied | InvalidInput) else "failed"
    return replace(blank, status=status, id=None, problems=_problems(error, "body"))


def _problems(error: JackfieldError, default: str) -> list[Problem]:
    if not isinstance(error, InvalidInput):
        return [Problem(default, error.message)]
    return [Problem(path, str(message)) for path, message in (error.details or {default: error.message}).items()]


def _remarks(source: BundleDocument) -> list[Problem]:
    found: list[Problem] = []
    if source.document.get("isArchived") is True:
        found.append(Problem("isArchived", "It was archived in n8n; delete it here if nobody needs it.", "warning"))
    if isinstance(name := source.document.get("name"), str) and len(name) > MAX_NAME:
        found.append(Problem("name", f"It was cut to {MAX_NAME} characters.", "warning"))
    if is_redacted(source.document.get("settings")):
        found.append(Problem("settings.redactionPolicy", REMARK, "warning"))
    if source.remark:
        found.append(Problem("versionId", source.remark, "warning"))
    return found


def _named(document: Mapping[str, Json]) -> Document:
    name = document.get("name")
    if isinstance(name, str) and name.strip():
        return {**document, "name": name[:MAX_NAME]}
    return {**document, "name": UNTITLED}


def _name(document: Mapping[str, Json]) -> str:
    name = document.get("name")
    return name[:MAX_NAME] if isinstance(name, str) else ""


def _was_active(document: Mapping[str, Json]) -> bool:
    return document.get("active") is True or bool(document.get("activeVersionId"))


def _uuid(ident: str) -> str | None:
    """An export of ours keeps its id."""
    return ident.lower() if len(ident) == 36 and is_uuid(ident) else None
