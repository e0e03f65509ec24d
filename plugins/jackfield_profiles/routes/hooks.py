"""A profile's hooks, one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from quart import Response

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.http import operation, read_json, read_model, success
from jackfield.api.jsontext import Json
from jackfield_profiles.hook_events import known_event
from jackfield_profiles.ports import HooksDocument, ProfileChanges
from jackfield_profiles.routes.bodies import HookBody
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.views import hooks_of

TAGS = ("profiles",)
_SCHEMAS = "jackfield_profiles.schemas"
_SHOWN = f"{_SCHEMAS}:HooksShown"


class HookRoutes:
    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def _hooks(self, alias: str) -> HooksDocument:
        return hooks_of(await self._context.port(ProfileStore).find(alias))

    async def _changed(self, alias: str, change: Callable[[HooksDocument], None]) -> HooksDocument:
        return await self._context.port(ProfileChanges).change_hooks(alias, change)

    @operation(
        "List a profile's hooks",
        operation_id="listProfileHooks",
        scope=None,
        response=_SHOWN,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def get_hooks(self, alias: str) -> Response:
        return success(await self._hooks(alias))

    @operation(
        "Add a hook to a profile",
        operation_id="addProfileHook",
        scope=None,
        request="jackfield_profiles.routes.bodies:HookBody",
        response=_SHOWN,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def add_hook(self, alias: str) -> Response:
        body = await read_model(HookBody)
        event = known_event(body.event)
        action: dict[str, Json] = {"type": "command", "command": body.command}
        if body.timeout is not None:
            action["timeout"] = body.timeout

        def add(hooks: HooksDocument) -> None:
            _entries(hooks, event).append({"matcher": body.matcher, "hooks": [action]})

        return success(await self._changed(alias, add))

    @operation(
        "Remove a hook of a profile, by its event and place",
        operation_id="removeProfileHook",
        scope=None,
        response=_SHOWN,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def remove_hook(self, alias: str, event: str, index: int) -> Response:
        known_event(event)

        def remove(hooks: HooksDocument) -> None:
            entries = _entries(hooks, event)
            if index >= len(entries):
                raise NotFound(f"The profile {alias} has {len(entries)} hooks of {event}; places count from 0.")
            del entries[index]
            if not entries:
                del hooks[event]

        return success(await self._changed(alias, remove))

    @operation(
        "Replace all hooks of a profile",
        operation_id="importProfileHooks",
        scope=None,
        response=_SHOWN,
        tags=TAGS,
        request="jackfield_profiles.routes.bodies:HooksBody",
        errors=(Conflict,),
    )
    async def import_hooks(self, alias: str) -> Response:
        return success(await self._changed(alias, await _replacing()))

    @operation(
        "Tell what the hooks of a profile would be after an import; nothing is stored",
        operation_id="checkProfileHooks",
        scope=None,
        response=_SHOWN,
        tags=TAGS,
        request="jackfield_profiles.routes.bodies:HooksBody",
        errors=(Conflict,),
        act=UNRECORDED,
    )
    async def check_hooks(self, alias: str) -> Response:
        return success(await self._context.port(ProfileChanges).check_hooks(alias, await _replacing()))

    @operation(
        "Give all hooks of a profile, to be imported into another",
        operation_id="exportProfileHooks",
        scope=None,
        response=_SHOWN,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def export_hooks(self, alias: str) -> Response:
        return success(await self._hooks(alias))


async def _replacing() -> Callable[[HooksDocument], None]:
    """By the request's body. Raises `InvalidInput`."""
    given = await read_json()
    if not isinstance(given, dict):
        raise InvalidInput("The hooks are not valid.", details={"body": "give an object: event to list of hooks"})

    def replace(hooks: HooksDocument) -> None:
        hooks.clear()
        hooks.update(given)

    return replace


def _entries(hooks: HooksDocument, event: str) -> list[Json]:
    """The event's, to be altered."""
    return cast("list[Json]", hooks.setdefault(event, []))
