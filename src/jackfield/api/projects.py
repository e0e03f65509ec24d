"""Projects: in whose name something happens, and what that may reach.

The store that plugins get (`PluginContext.store`) shows and changes what the current reach allows, and nothing else:
that is the one place where projects hold. A reach belongs to the current task, as `asyncio` hands it on to the tasks
that it makes. Tasks of `PluginContext.spawn` are the daemon's own again. No reach is the daemon's own: everything.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from .auth import Principal
from .errors import NotFound
from .records import record, replace
from .storage import PROJECT_ROLES, SHARED, Project, ProjectRole, ResourceKind, Store, User, Within

Right = Literal["read", "start", "write", "admin"]
"""read: see and use; start: run, also what is shared; write: change and delete; admin: share, move, name members."""
NEEDED: Mapping[Right, ProjectRole] = {
    "read": "project:viewer", "start": "project:editor", "write": "project:editor", "admin": "project:admin",
}  # fmt: skip
PROJECT_HEADER = "x-jackfield-project"
"""Of a request: the id of the only project that it is about, in which it also makes new things."""
PROJECTS_CHANGED = "projects.changed"
"""Topic of the bus: members, placements or shares have changed. The payload is empty."""


@record
class CallerReach:
    """Of whoever calls. project: the only one that is asked about; empty: all of theirs."""

    caller: Principal
    project: str = ""


@record
class RunReach:
    """Of an execution: what belongs to the project of its workflow, and what is shared with that. workflow_id: None:
    it is not saved. Then the project of the execution counts."""

    workflow_id: str | None
    execution_id: str


@record
class ProjectReach:
    """Of one project, as an editor."""

    project_id: str


Reach: TypeAlias = CallerReach | RunReach | ProjectReach
_REACH: contextvars.ContextVar[Reach | None] = contextvars.ContextVar("jackfield_reach", default=None)
present_reach = _REACH.get
"""None: everything."""
set_reach = _REACH.set
"""For the rest of the current task: the gate of requests knows the caller."""


@contextlib.contextmanager
def reaching(reach: Reach | None) -> Iterator[None]:
    """Within the context this is the reach; None: the daemon's own."""
    token = _REACH.set(reach)
    try:
        yield
    finally:
        _REACH.reset(token)


def task_context(reach: Reach | None) -> contextvars.Context:
    """For a task that is made here and has another reach."""
    context = contextvars.copy_context()
    context.run(_REACH.set, reach)
    return context


def run_reach(workflow_id: str | None) -> Reach | None:
    """For what happens in the name of a saved workflow beside its executions: who may call it, what starts it. None:
    it is not saved, and whoever tries it may use what is theirs."""
    return RunReach(workflow_id, "") if workflow_id else _REACH.get()


def whole_store(store: Store) -> Store:
    """The same store without limits, for whoever keeps the daemon's own books of what runs."""
    whole: Store = getattr(store, "whole", store)
    return whole


def stronger(one: ProjectRole, other: ProjectRole) -> ProjectRole:
    return max(one, other, key=PROJECT_ROLES.index)


@record
class Rights:
    """The rights that a reach amounts to.

    `roles`: project -> role there. `target`: where new things are made; empty: nowhere.
    """

    roles: Mapping[str, ProjectRole]
    target: str = ""

    @property
    def within(self) -> Within:
        return Within(sorted(self.roles))

    def may(self, project_id: str, right: Right) -> bool:
        role = self.roles.get(project_id)
        return role is not None and PROJECT_ROLES.index(role) >= PROJECT_ROLES.index(NEEDED[right])


async def ask_about(access: ProjectAccess | None, project_id: str | None) -> None:
    """From now on the current task is about this project alone, and makes new things there. None: as before. Raises
    `NotFound` for one that its caller is not in, `StoreUnavailable`."""
    reach = _REACH.get()
    if project_id is None or (access is None and project_id == SHARED):
        return
    if access is None or await access.project(project_id) is None:
        raise NotFound("There is no such project.", details={"projectId": "give the id of one of yours"})
    if isinstance(reach, CallerReach) and (access.in_use or project_id != SHARED):
        _REACH.set(replace(reach, project=project_id))
        await access.rights()


class ProjectAccess(Protocol):
    """The port: who may reach what. All methods but `changed` raise `StoreUnavailable`."""

    in_use: bool
    """Whether anything of the store belongs to another project than the shared one, or somebody could be kept from
    something. As long as it does not, nothing is limited."""

    async def rights(self) -> Rights | None:
        """Of the current reach; None: everything. Raises `NotFound` when it names a project that the caller has not."""

    async def project_of(self, kind: ResourceKind, resource_id: str) -> str:
        """Where something belongs, whoever asks. A thing that nobody knows belongs to the shared project."""

    async def sees(self, kind: ResourceKind, resource_id: str) -> bool:
        """Whether the current reach has it, or it is shared with that."""

    async def seen(self, kind: ResourceKind, ids: Sequence[str]) -> set[str]:
        """Those of these."""

    async def require(self, kind: ResourceKind, resource_id: str, right: Right) -> bool:
        """False: the current reach does not see it. Raises `AccessDenied` when it does and lacks the right."""

    async def project(self, project_id: str) -> Project | None:
        """Team projects, the shared one, and personal ones of users that exist; whoever asks."""

    async def is_member(self, project_id: str, user: User) -> bool:
        """Whether a user has a role in a project, by name or as everybody."""

    async def changed(self) -> None:
        """After a change of members, placements or shares: forget what is remembered, here and at other daemons."""


class Placing(Protocol):
    """The port: moving things between projects."""

    async def move(self, kind: ResourceKind, resource_id: str, project_id: str, caller: Principal) -> object:
        """Raises `NotFound`, `AccessDenied`, `StoreUnavailable`."""
