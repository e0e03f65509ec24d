"""Things that a plugin keeps itself, such as profiles: they belong to projects as what is in the store does.

The plugin's own store asks here, so that its callers get only the things that their reach has.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from .errors import AccessDenied, Conflict
from .projects import NEEDED, ProjectAccess, Right, Rights, present_reach, whole_store
from .storage import SHARED, ResourceKind

if TYPE_CHECKING:
    from .context import PluginContext


class PlacedThings:
    """Of one kind. Where nothing limits the current task, nothing is looked up. All verbs raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext, kind: ResourceKind) -> None:
        self._context = context
        self._kind = kind

    async def seen(self, ids: Sequence[str]) -> set[str]:
        """Those of these that the current reach has, or that are shared with it."""
        access = self._limiting()
        return set(ids) if access is None else await access.seen(self._kind, ids)

    async def may(self, ident: str, right: Right) -> bool:
        """False: the current reach does not see it. Raises `AccessDenied` when it does and lacks the right."""
        access = self._limiting()
        return access is None or await access.require(self._kind, ident, right)

    async def may_in(self, project_id: str, right: Right) -> bool:
        """The same of a thing that belongs to a project without its own row, since it ends with its process."""
        rights = await self._rights()
        if rights is None or rights.may(project_id, right):
            return True
        if not rights.may(project_id, "read"):
            return False
        role = NEEDED[right]
        raise AccessDenied(f"This needs the role {role} in the project that has it.", details={"role": role})

    async def is_limited(self) -> bool:
        """Whether there may be something that the current reach does not see."""
        return await self._rights() is not None

    async def target(self) -> str:
        """The project in which the current reach makes new things. Raises `AccessDenied` when there is none."""
        rights = await self._rights()
        if rights is None:
            return SHARED
        if not rights.target:
            raise AccessDenied("There is no project in which you may make this; ask for the role project:editor.")
        return rights.target

    @asynccontextmanager
    async def placing(self, ident: str, elsewhere: Callable[[], Awaitable[bool]] | None = None) -> AsyncIterator[None]:
        """A thing that is made within belongs to the `target`; nobody else sees it before. elsewhere: whether another
        host has it. Raises as `target`, and `Conflict` where the id belongs to another project: of something at another
        host, or of a former thing. A new owner of its id would get its traces."""
        target, access = await self.target(), self._used()
        if access is None:
            yield
            return
        before = await access.project_of(self._kind, ident)
        if before != target and (
            not await self._may_take_from(before) or (elsewhere is not None and await elsewhere())
        ):
            raise Conflict(f"The name {ident[:100]} belongs to another project; give another one.")
        store = whole_store(self._context.store)
        await self._share_no_more(ident)
        await store.place_resources(self._kind, [ident], target)
        try:
            await access.changed()
            yield
        except BaseException:
            await store.place_resources(self._kind, [ident], before)
            await access.changed()
            raise

    async def forget(self, ident: str) -> None:
        """It is gone. Its traces, such as its usage, stay in its project."""
        if (access := self._used()) is not None:
            await self._share_no_more(ident)
            await access.changed()

    async def _may_take_from(self, project_id: str) -> bool:
        """A thing in no other project is in the shared one, also a thing that never was."""
        rights = await self._rights()
        return project_id == SHARED or rights is None or rights.may(project_id, "write")

    async def _share_no_more(self, ident: str) -> None:
        store = whole_store(self._context.store)
        for project_id in (await store.shares(self._kind, [ident])).get(ident, ()):
            await store.unshare_resource(self._kind, ident, project_id)

    async def _rights(self) -> Rights | None:
        access = self._limiting()
        return None if access is None else await access.rights()

    def _limiting(self) -> ProjectAccess | None:
        return None if present_reach() is None else self._context.find_port(ProjectAccess)

    def _used(self) -> ProjectAccess | None:
        access = self._context.find_port(ProjectAccess)
        return access if access is not None and access.in_use else None
