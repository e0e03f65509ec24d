"""The whole store behind a `ScopedStore`: its other verbs pass on, and those by an id after a look."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from jackfield.api.errors import RouteConflict
from jackfield.api.projects import ProjectAccess, Right, present_reach
from jackfield.api.storage import ResourceKind, Store

from .scoped_store import BY_ID, ScopedStore

ResultT = TypeVar("ResultT")


class _Forwarding(ScopedStore):
    """Everything else is the store's behind it."""

    def __init__(self, whole: Store, access: ProjectAccess) -> None:
        self.whole = whole
        self._access = access
        for name, how in BY_ID.items():
            setattr(self, name, _checked(getattr(whole, name), access, *how))

    def __getattr__(self, name: str) -> Any:  # Any: whatever the store has
        if name.startswith("__") or name in ("whole", "_access"):
            raise AttributeError(name)
        found = getattr(self.whole, name)
        if callable(found):
            setattr(self, name, found)  # the same from now on, without this detour
        return found

    @property
    def __class__(self) -> type:  # asked by isinstance
        return type(self.whole)

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise AttributeError("__class__")


def _checked(
    verb: Callable[..., Awaitable[ResultT]],
    access: ProjectAccess,
    kind: ResourceKind,
    right: Right,
    absent: Callable[[], ResultT],
) -> Callable[..., Awaitable[ResultT]]:
    async def after_a_look(resource_id: str, *args: Any, **named: Any) -> ResultT:  # Any: as the verb's
        if not await access.require(kind, resource_id, right):
            return absent()
        try:
            return await verb(resource_id, *args, **named)
        except RouteConflict as exc:
            raise await _told(access, exc) from None

    def call(resource_id: str, *args: Any, **named: Any) -> Awaitable[ResultT]:  # Any: likewise
        if present_reach() is None:
            return verb(resource_id, *args, **named)
        return after_a_look(resource_id, *args, **named)

    return call


async def _told(access: ProjectAccess, conflict: RouteConflict) -> RouteConflict:
    """Without the name of the workflow that holds the path, where the reach does not see it."""
    details = conflict.details if isinstance(conflict.details, dict) else {}
    if await access.sees("workflow", str(details.get("workflowId", ""))):
        return conflict
    method, path = details.get("method"), details.get("path")
    return RouteConflict(
        f"{method} {path} is served by an active workflow of another project already; change the path.",
        details={"method": method, "path": path},
    )


def scoped(store: Store, access: ProjectAccess) -> Store:
    """The store that plugins get of this one."""
    return cast("Store", _Forwarding(store, access))
