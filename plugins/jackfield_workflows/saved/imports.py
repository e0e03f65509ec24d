"""Several workflow documents at once: `POST /workflows/import` and `jackfield workflow import`.

Nothing is stored before every document was read. So a file with a mistake in it changes nothing unless its good parts
are asked for. The import reports each document's fate, whatever the fate of the others.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import AccessDenied, InvalidInput, JackfieldError, NotFound
from jackfield.api.ids import is_uuid
from jackfield.api.jsontext import Json
from jackfield.api.large_json import off_loop
from jackfield.api.records import record
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflow_tools import SETTING
from jackfield.api.workflows import Problem
from jackfield_workflows.activation.checks import ActivationChecks
from jackfield_workflows.activation.node_rules import NodeRules
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.saved.changes import Author, WorkflowChanges, given_document
from jackfield_workflows.saved.node_scopes import NodeScopes
from jackfield_workflows.saved.offer_scopes import offer_lack

MOST = 1000
"""Documents of one import."""
Status = Literal["created", "updated", "refused", "skipped", "failed"]


@record
class Imported:
    """The result of one document. status: `refused` = it has mistakes.

    `skipped` = another one of the same import has, and the good ones alone were not asked for. `failed` = the store or
    a conflict prevented it. denied: a node of it needs a scope that the author lacks.
    """

    index: int
    name: str
    status: Status
    id: str | None = None
    version: int | None = None
    problems: Sequence[Problem] = field(default_factory=tuple)
    denied: bool = False


Told = Callable[[str, str], None]
"""Hears the id and the name of each workflow as soon as it is stored: an import may break off."""


class Importer:
    """Creates and updates workflows from documents."""

    def __init__(self, context: PluginContext, changes: WorkflowChanges) -> None:
        self._context = context
        self._changes = changes
        self._secrets = SecretParameters(context)
        self._scopes = NodeScopes(context)
        self._rules = NodeRules(context)

    async def run(
        self, documents: Sequence[Json], author: Author, *, partial: bool = False, told: Told = lambda *stored: None
    ) -> list[Imported]:
        """One result per document, in their order. partial: import the good ones although others have mistakes."""
        mistakes = [await self._mistakes(document) for document in documents]
        lacks = [
            () if wrong else await self._lacks(document, author)
            for document, wrong in zip(documents, mistakes, strict=True)
        ]
        hold = not partial and (any(mistakes) or any(lacks))
        results: list[Imported] = []
        for index, (document, wrong, lacking) in enumerate(zip(documents, mistakes, lacks, strict=True)):
            if wrong or lacking:
                refused = [*wrong, *lacking]
                results.append(Imported(index, name_of(document), "refused", problems=refused, denied=bool(lacking)))
            elif hold:
                results.append(Imported(index, name_of(document), "skipped"))
            else:
                results.append(await self._import(index, document, author, told))
        return results

    async def _mistakes(self, document: Json) -> list[Problem]:
        """The mistakes that prevent storing the document."""
        if not isinstance(document, dict):
            return [Problem("body", "A workflow must be an object with nodes and connections.")]
        try:
            given = given_document(document)
            await off_loop(given, lambda: self._context.port(WorkflowReader).parse(given))  # type: ignore[arg-type]  # an object
        except InvalidInput as exc:
            details = exc.details or {"body": exc.message}
            return [Problem(path, str(message)) for path, message in details.items()]
        return []

    async def _lacks(self, document: Json, author: Author) -> Sequence[Problem]:
        """The parts of a new workflow that the author may not store: nodes, an offer as a tool.

        One that is here may keep its own.
        """
        if not self._scopes.restrict(author.caller) and not self._rules.in_use:
            return ()
        own = own_id(document)
        if own is not None and await self._context.store.workflow_row(own) is not None:
            return ()
        given = given_document(document)
        reader = self._context.port(WorkflowReader)
        workflow = await off_loop(given, lambda: reader.parse(given))  # type: ignore[arg-type]  # an object
        lack = offer_lack(workflow, author.caller)
        offer = [Problem(f"settings.{SETTING}", lack)] if lack else []
        scopes = await self._scopes.problems(workflow, author.caller)
        return [*scopes, *await self._rules.problems(workflow, author.caller), *offer]

    async def _import(self, index: int, document: Json, author: Author, told: Told) -> Imported:
        own = own_id(document)
        try:
            stored, status = await self._store(own, document, author)
        except AccessDenied as exc:
            problem = Problem("nodes", exc.message)
            return Imported(index, name_of(document), "refused", own, problems=[problem], denied=True)
        except JackfieldError as exc:
            places = exc.details or {"body": exc.message}
            problems = [Problem(path, str(message)) for path, message in places.items()]
            return Imported(index, name_of(document), "failed", own, problems=problems)
        told(stored.id, stored.name)
        problems = await self._remarks(stored)
        if isinstance(document, dict):
            lost = self._secrets.lost(document, stored.document)
            problems += [Problem(path, "The export holds no secret here; enter it.", "warning") for path in lost]
        if status == "created" and isinstance(document, dict) and document.get("active") is True:
            problems.append(
                Problem("active", "The workflow was active where it comes from; here it is not.", "warning")
            )
        return Imported(index, stored.name, status, stored.id, stored.version, problems)

    async def _store(
        self, own: str | None, document: Json, author: Author
    ) -> tuple[StoredWorkflow, Literal["created", "updated"]]:
        """Raises `JackfieldError`."""
        if own is not None:
            try:
                return await self._changes.replace(own, document, author), "updated"
            except NotFound:
                pass  # another installation's export keeps its id, so that references to it stay right
        return await self._changes.create(document, author, id=own), "created"

    async def _remarks(self, stored: StoredWorkflow) -> list[Problem]:
        """The remarks of `validate` on the stored document."""
        reader = self._context.port(WorkflowReader)
        workflow = await reader.parse_stored(stored.document, id=stored.id, version=stored.version)
        found = await off_loop(stored.document, lambda: reader.problems(workflow))
        known = {problem.path for problem in found}
        more = await ActivationChecks(self._context).problems(workflow)
        return [*found, *(problem for problem in more if problem.path not in known)]


def documents_of(body: Json) -> list[Json]:
    """One document or a list of them. Raises `InvalidInput` for none or too many."""
    found: list[Json] = body if isinstance(body, list) else [body]
    if not 0 < len(found) <= MOST:
        details = {"body": f"send one workflow, or a list of 1 to {MOST}"}
        raise InvalidInput("There is nothing to import, or too much at once.", details=details)
    return found


def own_id(document: Json) -> str | None:
    """The document's id when it has the form of our own, in its usual spelling. Ids of other systems are short or
    numbers, and two sources may use the same one: such a document is always a new workflow."""
    given = document.get("id") if isinstance(document, dict) else None
    return str(uuid.UUID(given)) if isinstance(given, str) and len(given) == 36 and is_uuid(given) else None


def name_of(document: Json) -> str:
    name = document.get("name") if isinstance(document, dict) else None
    return name[:255] if isinstance(name, str) else ""


def import_view(results: Sequence[Imported]) -> dict[str, Json]:
    """`imported`: every document was stored."""
    counts = {status: sum(found.status == status for found in results) for status in ("created", "updated")}
    done = sum(counts.values())
    return {
        "imported": done == len(results),
        **counts,
        "notImported": len(results) - done,
        "results": [_result_view(found) for found in results],
    }


def _result_view(found: Imported) -> dict[str, Json]:
    problems: list[Json] = [{"path": p.path, "message": p.message, "severity": p.severity} for p in found.problems]
    view: dict[str, Json] = {
        "index": found.index,
        "name": found.name,
        "status": found.status,
        "id": found.id,
        "problems": problems,
    }
    return view if found.version is None else {**view, "version": found.version}
