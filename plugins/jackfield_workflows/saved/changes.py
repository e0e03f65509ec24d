"""Every write to a workflow: check, store with its registrations in one transaction, let the triggers follow.

Writes to one workflow run one after another; a caller that hangs up in the middle does not stop one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Literal, TypeVar

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import ConfigurationError, Conflict, DataDamaged, InvalidInput, NotFound
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.large_json import off_loop
from jackfield.api.records import record, replace
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflows import Document, Workflow
from jackfield_workflows.activation.checks import ActivationChecks
from jackfield_workflows.activation.node_rules import NodeRules
from jackfield_workflows.activation.trigger_calls import TriggerCalls
from jackfield_workflows.documents.credential_exports import refuse_credential
from jackfield_workflows.documents.identities import MAX_NAME, known_id
from jackfield_workflows.documents.sealing import SealedSecrets, without_sealed
from jackfield_workflows.documents.secret_parameters import SecretParameters, has_masks
from jackfield_workflows.documents.settings_checks import check_settings
from jackfield_workflows.documents.tags import tag_names
from jackfield_workflows.saved.following import Following
from jackfield_workflows.saved.node_changes import same_node
from jackfield_workflows.saved.node_scopes import NodeScopes
from jackfield_workflows.saved.offer_scopes import check_offer
from jackfield_workflows.saved.views import without_service_keys
from jackfield_workflows.saved.writable import check_writable

T = TypeVar("T")
COPY_SUFFIX = " (Copy)"
_log = logging.getLogger(__name__)


@record
class Author:
    """The author of a change, and the version on top of which it comes: None is whatever there is."""

    caller: Principal
    expected: int | None = None

    @property
    def name(self) -> str:
        return self.caller.username


UNTITLED = "Untitled workflow"


class WorkflowChanges:
    """The changes that the routes make to saved workflows."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._following = context.port(Following)
        self._running: set[asyncio.Task[object]] = set()
        self._secrets = SecretParameters(context)
        self._sealed = SealedSecrets(context)
        self._triggers = context.port(TriggerCalls)
        self._checks = ActivationChecks(context)
        self._scopes = NodeScopes(context)
        self._rules = NodeRules(context)

    # -- verbs

    async def create(
        self,
        document: Json,
        author: Author,
        *,
        id: str | None = None,
        active: bool = False,
        folder_id: str | None = None,
    ) -> StoredWorkflow:
        """A new workflow; under this id, which no other has, when one is given.

        `active`: whether it is live at once. `folder_id`: of the folder that it is in. Raises `InvalidInput`,
        `AccessDenied`, `RouteConflict`.
        """
        check_writable(self._context)
        given = given_document(document)
        check_settings(given)
        workflow = await self._parsed(given, id=id or new_id(), version=1, active=active)
        check_offer(workflow, author.caller)
        await self._scopes.check(workflow, author.caller)
        await self._rules.check(workflow, author.caller)
        return await self._finish(self._create(workflow, author, tag_names(document) or (), folder_id))

    async def replace(
        self, workflow_id: str, document: Json, author: Author, *, active: bool | None = None
    ) -> StoredWorkflow:
        """A new version. active: whether it is live from now on; None: it stays as it is. Raises `InvalidInput`,
        `AccessDenied`, `NotFound`, `Conflict`, `RouteConflict`; then nothing changed."""
        check_writable(self._context)
        given, tags = checked(document), tag_names(document)
        work = self._write(workflow_id, author, lambda stored: _same(given), self._replaceable, tags, active)
        return await self._finish(work)

    async def patch(
        self, workflow_id: str, changes: Json, author: Author, *, active: bool | None = None
    ) -> StoredWorkflow:
        """A new version in which the top-level keys of `changes` replace those of the current one. active: as
        `replace`.
        """
        given, tags = checked(changes), tag_names(changes)
        if not isinstance(given, dict):
            raise InvalidInput("The change must be an object.", details={"body": "send the keys to change"})

        if not given and active is not None and tags is None:  # no new version for a switch
            return await self.set_active(workflow_id, active, author)
        check_writable(self._context)

        async def merged(stored: StoredWorkflow) -> Document:
            if "nodes" in given:  # secrets of the current ones are needed where it has masks alone
                return {**without_sealed(stored.document), **given}
            return {**await self._sealed.opened(stored.document), **given}

        return await self._finish(self._write(workflow_id, author, merged, self._stored, tags, active))

    async def restore(self, workflow_id: str, version: int, author: Author) -> StoredWorkflow:
        """A new version with the document of an old one."""
        check_writable(self._context)

        async def old(stored: StoredWorkflow) -> Document:
            found = await self._context.store.workflow_version(workflow_id, version)
            if found is None:
                raise NotFound(f"The workflow has no version {version}.")
            return await self._sealed.opened(found.document)

        return await self._finish(self._write(workflow_id, author, old, self._replaceable))

    async def duplicate(self, workflow_id: str, name: str | None, author: Author) -> StoredWorkflow:
        """An inactive copy in the same folder; its name is the original's with a suffix unless one is given."""
        stored = await self._stored(workflow_id)
        wanted = name or stored.name[: MAX_NAME - len(COPY_SUFFIX)] + COPY_SUFFIX
        tags: list[Json] = [tag.name for tag in stored.tags]
        document: Json = {**await self._sealed.opened(stored.document), "name": wanted, "tags": tags}
        return await self.create(document, author, folder_id=stored.folder_id)

    async def set_active(self, workflow_id: str, active: bool, author: Author) -> StoredWorkflow:
        """Go live or stop being live. Raises `InvalidInput` with what a trigger misses, `AccessDenied`,
        `RouteConflict`, `NotFound`."""
        return await self._finish(self._set_active(workflow_id, active, author))

    async def delete(self, workflow_id: str, author: Author) -> None:
        """With its versions and what its triggers registered. Raises `NotFound`."""
        check_writable(self._context)
        await self._finish(self._delete(workflow_id, author))

    # -- how

    async def _create(
        self, workflow: Workflow, author: Author, tags: Sequence[str], folder_id: str | None
    ) -> StoredWorkflow:
        now, document = self._context.clock.now_ms(), await self._sealed.sealed(workflow.document)
        stored = StoredWorkflow(str(workflow.id), workflow.name, workflow.active, 1, document, now, now, (), folder_id)
        if workflow.active:
            await self._checks.check(workflow)
        registrations = self._triggers.registrations(workflow)
        await self._context.store.add_workflow(stored, registrations, author.name, tags=tags)
        await self._following.follow("saved", stored.id, stored.name, stored.version, workflow)
        if workflow.active:
            self._following.publish("activated", stored.id, stored.name, stored.version, active=True)
        return (await self._context.store.workflow(stored.id) if tags else None) or stored

    async def _write(
        self,
        workflow_id: str,
        author: Author,
        document: Callable[[StoredWorkflow], Awaitable[Json]],
        read: Callable[[str, Author], Awaitable[StoredWorkflow]],
        tags: Sequence[str] | None = None,
        active: bool | None = None,
    ) -> StoredWorkflow:
        """read: how the current one is found. tags: names; None leaves those that it has. active: likewise."""
        async with self._following.alone(workflow_id):
            present = await read(workflow_id, author)
            given = named(await document(present), present.name)
            if isinstance(given, dict) and has_masks(given):
                if not present.document:
                    raise InvalidInput(
                        "The stored workflow is damaged, and its secrets with it: send them in place of ***.",
                        details={"nodes": "has *** where a secret belongs"},
                    )
                await self._secrets.ready(given)
                given = self._secrets.kept(given, await self._sealed.opened(present.document))
            if isinstance(given, dict) and given.get("settings") != present.document.get("settings"):
                check_settings(given)
            live = present.active if active is None else active
            workflow = await self._parsed(given, id=present.id, version=present.version + 1, active=live)
            await self._check_nodes(workflow, present, author)
            whole = not live or await self._checks.check(workflow, await self._before(present, live=True))
            stored = await self._context.store.change_workflow(
                present.id,
                await self._sealed.sealed(workflow.document),
                workflow.name,
                self._triggers.registrations(workflow, required=whole),
                now=self._context.clock.now_ms(),
                author=author.name,
                expected_version=present.version,
                tags=tags,
                active=active,
            )
            done = await self._committed("saved", workflow, stored)
            if live != present.active:
                verb = "activated" if live else "deactivated"
                self._following.publish(verb, done.id, done.name, done.version, active=live)
            return done

    async def _set_active(self, workflow_id: str, active: bool, author: Author) -> StoredWorkflow:
        async with self._following.alone(workflow_id):
            present = await self._stored(workflow_id, author)
            workflow = await self._switched(present, active)
            if active:
                check_offer(workflow, author.caller)
                await self._scopes.check(workflow, author.caller)
                await self._rules.check(workflow, author.caller)
                await self._checks.check(workflow)
            stored = await self._context.store.set_active(
                present.id,
                active,
                self._triggers.registrations(workflow, required=active),
                now=self._context.clock.now_ms(),
                expected_version=present.version,
            )
            return await self._committed("activated" if active else "deactivated", workflow, stored)

    async def _check_nodes(self, workflow: Workflow, present: StoredWorkflow, author: Author) -> None:
        """Raises `AccessDenied`."""
        restricted = self._scopes.restrict(author.caller)
        if not restricted and not self._rules.in_use:
            return
        before = await self._before(present, live=workflow.active)
        await self._rules.check(
            workflow, author.caller, lambda name: before is not None and same_node(workflow, before, name)
        )
        if not restricted:
            return
        check_offer(workflow, author.caller, before)
        await self._scopes.check(workflow, author.caller, before)

    async def _before(self, present: StoredWorkflow, *, live: bool) -> Workflow | None:
        """The stored workflow whose state a change may keep: none for what goes live with it, and none that nobody can
        read."""
        if not present.document or (live and not present.active):
            return None
        reader = self._context.port(WorkflowReader)
        with contextlib.suppress(ConfigurationError, InvalidInput):
            return await reader.parse_stored(
                present.document, id=present.id, version=present.version, active=present.active
            )
        return None

    async def _switched(self, present: StoredWorkflow, active: bool) -> Workflow:
        """Raises `ConfigurationError` when it is to be live and its secrets cannot be opened."""
        try:
            reader = self._context.port(WorkflowReader)
            return await reader.parse_stored(present.document, id=present.id, version=present.version, active=active)
        except ConfigurationError:
            if active:
                raise
            return await self._parsed(present.document, id=present.id, version=present.version)

    async def _delete(self, workflow_id: str, author: Author) -> None:
        async with self._following.alone(workflow_id):
            name, version = "", 0
            try:
                present = await self._stored(workflow_id, author)
                name, version = present.name, present.version
            except DataDamaged:
                _log.warning("The workflow %s is damaged, and deleted unread.", workflow_id)
            ident = known_id(workflow_id, "workflow")
            if not await self._context.store.delete_workflow(ident):
                raise _unknown()
            # It is gone, whatever its document says.
            await self._following.follow("deleted", ident, name, version)

    async def _stored(self, workflow_id: str, author: Author | None = None) -> StoredWorkflow:
        found = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if found is None:
            raise _unknown()
        _check_expected(found.version, author)
        return found

    async def _replaceable(self, workflow_id: str, author: Author) -> StoredWorkflow:
        """As `_stored`; of a damaged one all but its document, which then is empty."""
        try:
            return await self._stored(workflow_id, author)
        except DataDamaged:
            row = await self._context.store.workflow_row(known_id(workflow_id, "workflow"))
            if row is None:
                raise _unknown() from None
            _check_expected(row.version, author)
            _log.warning("The workflow %s is damaged, and replaced unread.", workflow_id)
            return StoredWorkflow(row.id, row.name, row.active, row.version, {}, row.created_at, row.updated_at)

    async def _parsed(self, document: Json, *, id: str, version: int, active: bool = False) -> Workflow:
        if not isinstance(document, dict):
            raise InvalidInput("A workflow must be an object.", details={"body": "send the workflow's JSON"})
        reader = self._context.port(WorkflowReader)
        return await off_loop(document, lambda: reader.parse(document, id=id, version=version, active=active))

    async def _committed(
        self, action: Literal["saved", "activated", "deactivated"], workflow: Workflow, stored: StoredWorkflow | None
    ) -> StoredWorkflow:
        if stored is None:
            raise _unknown()
        live = replace(workflow, version=stored.version, active=stored.active)
        await self._following.follow(action, str(workflow.id), workflow.name, stored.version, live)
        return stored

    async def _finish(self, work: Coroutine[object, object, T]) -> T:
        """Wait for the work; being cancelled ends the wait and not the work."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            return await asyncio.shield(task)
        finally:
            # The traceback of an error holds this frame, and the task the error: a cycle, which would keep the request.
            del task


def checked(document: Json) -> Json:
    """The part of a document, or of a part of one, that is kept.

    Raises `InvalidInput` for a credential, and for wrong tags.
    """
    refuse_credential(document)
    tag_names(document)
    return without_service_keys(document)


def wanted_state(document: Json) -> bool | None:
    """Whether a document is to be live; None: it does not say. Raises `InvalidInput`."""
    wanted = document.get("active") if isinstance(document, dict) else None
    if wanted is None or isinstance(wanted, bool):
        return wanted
    raise InvalidInput("active must be true or false.", details={"active": "send true or false, or leave it out"})


def given_document(document: Json) -> Json:
    """The same of a whole document, with a name. Raises `InvalidInput`."""
    return named(checked(document), UNTITLED)


def named(document: Json, default: str) -> Json:
    """The document with a name: what n8n copies to the clipboard, and a third of published workflows, have none.

    Raises `InvalidInput` when there are no nodes either: that is no workflow.
    """
    if not isinstance(document, dict):
        return document
    name = document.get("name", "")
    if not isinstance(name, str) or name.strip():
        return document
    if "nodes" not in document:
        raise InvalidInput("A saved workflow needs a name.", details={"name": "give a text of 1 to 255 characters"})
    return {**document, "name": default}


async def _same(document: Json) -> Json:
    return document


def _check_expected(version: int, author: Author | None) -> None:
    """Raises `Conflict` for a change to another version than the current one."""
    if author is not None and author.expected is not None and author.expected != version:
        raise Conflict(
            f"The workflow is at version {version}, not {author.expected}; read it again, then change it.",
            details={"version": version},
        )


def _unknown() -> NotFound:
    return NotFound("There is no workflow with this id.")
