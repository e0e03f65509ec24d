"""The part of the store port that keeps workflows, their versions and their tags; see `jackfield.api.storage`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, get_args

from ..paging import Page
from ..records import record
from ..registrations import Registration
from ..workflows import Document
from .projects import Within

WorkflowOrder = Literal[
    "name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt", "nodeCount", "-nodeCount"
]
WORKFLOW_ORDERS: tuple[WorkflowOrder, ...] = get_args(WorkflowOrder)


@record
class Tag:
    """A name that groups workflows. Names are unique; their letter case counts."""

    id: str
    name: str
    created_at: int
    updated_at: int


@record
class StoredWorkflow:
    """document: as the author wrote it, without id, active, versionNumber, tags and times. tags: by name. folder_id:
    None outside of every folder."""

    id: str
    name: str
    active: bool
    version: int
    document: Document
    created_at: int
    updated_at: int
    tags: Sequence[Tag] = ()
    folder_id: str | None = None


@record
class WorkflowRow:
    """A list row: no document."""

    id: str
    name: str
    active: bool
    version: int
    created_at: int
    updated_at: int
    node_count: int
    tags: Sequence[Tag] = ()
    folder_id: str | None = None


@record
class WorkflowFilter:
    """`search`: literal, case-insensitive part of the name.

    `words`: the same of the name, a tag's name or what `workflow_words.words_of` finds in the document. `tags`: names.
    A workflow has all of them. `folder`: id of the folder that it is in itself; empty: it is in none. `order`: a
    descending one begins with a minus. `within`: None: every project.
    """

    active: bool | None = None
    search: str | None = None
    tags: Sequence[str] = ()
    words: str | None = None
    folder: str | None = None
    order: WorkflowOrder = "-updatedAt"
    within: Within | None = None


@record
class VersionRow:
    """label: what somebody has called this version; empty: nothing."""

    version: int
    name: str
    created_at: int
    author: str | None = None
    label: str = ""


class WorkflowStore(Protocol):
    """Workflows, their versions and their static data."""

    async def add_workflow(
        self,
        workflow: StoredWorkflow,
        registrations: Sequence[Registration],
        author: str | None,
        *,
        tags: Sequence[str] = (),
    ) -> None:
        """tags: names; those that no tag has become new tags."""

    async def change_workflow(
        self,
        workflow_id: str,
        document: Document,
        name: str,
        registrations: Sequence[Registration],
        *,
        now: int,
        author: str | None,
        expected_version: int | None = None,
        tags: Sequence[str] | None = None,
        active: bool | None = None,
    ) -> StoredWorkflow | None:
        """A new version. None when unknown.

        `tags`: as `add_workflow`; None leaves those that it has. `active`: whether it is live from now on. None leaves
        it as it is.

        Raises `Conflict` when expected_version is not the current one. Raises `RouteConflict` naming the other workflow
        when it is live and one of its routes is taken. Then nothing changed.
        """

    async def set_active(
        self,
        workflow_id: str,
        active: bool,
        registrations: Sequence[Registration],
        *,
        now: int,
        expected_version: int | None = None,
    ) -> StoredWorkflow | None:
        """The same version, live or not.

        None when unknown. Raises `Conflict` when expected_version is not the current one, of which the registrations
        are, and `RouteConflict`; then nothing changed.
        """

    async def delete_workflow(self, workflow_id: str) -> bool:
        """With its versions, registrations and calls; its executions stay."""

    async def workflow(self, workflow_id: str) -> StoredWorkflow | None: ...

    async def workflow_row(self, workflow_id: str) -> WorkflowRow | None:
        """The same without its document, which may be damaged."""

    async def workflow_version(self, workflow_id: str, version: int) -> StoredWorkflow | None: ...

    async def workflows(self, where: WorkflowFilter, *, offset: int, limit: int) -> Page[WorkflowRow]:
        """In the filter's order, by default the newest change first."""

    async def versions(self, workflow_id: str, offset: int, limit: int) -> Page[VersionRow]: ...

    async def label_version(self, workflow_id: str, version: int, label: str) -> bool:
        """Name a version, which then is kept beside the newest ones; an empty label takes the name away. False when
        there is no such version. Raises `Conflict` when as many have names as are kept without."""

    async def static_data(self, workflow_id: str) -> bytes | None: ...

    async def set_static_data(self, workflow_id: str, data: bytes, known: bytes | None) -> bool:
        """known: what was read before; None: there was nothing. False, and nothing is changed, when there is something
        else by now. True as well for a workflow that is unknown."""


class TagStore(Protocol):
    """Tags, and the workflows that have them."""

    async def tags(self, *, offset: int, limit: int) -> Page[Tag]:
        """By name."""

    async def tag(self, tag_id: str) -> Tag | None: ...

    async def put_tag(self, tag: Tag) -> None:
        """Insert, or rename the one with this id. Raises `Conflict` when another one has the name."""

    async def delete_tag(self, tag_id: str) -> bool:
        """No workflow has it any more."""

    async def tag_workflow(self, workflow_id: str, tag_ids: Sequence[str]) -> bool:
        """The workflow has these tags and no others. False when it is unknown. Raises `NotFound` for an unknown tag;
        then nothing changed."""
