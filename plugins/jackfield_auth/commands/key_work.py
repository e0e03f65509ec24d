"""The work of `jackfield api-key` when it runs: on the open store, as its owner."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.daemon_commands import identified
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.storage import User
from jackfield_auth.keys.api_keys import new_key
from jackfield_auth.routes.key_routes import expiry_of, view
from jackfield_auth.service import AuthService

PAGE = 250


async def create(
    context: PluginContext, username: str | None, name: str, scopes: tuple[str, ...], expires: str | None
) -> dict[str, Json]:
    """The row of the new key, with the key. Raises `NotFound`, `InvalidInput`, `Conflict`, `AccessDenied`."""
    auth = context.port(AuthService)
    if not auth.keys_enabled:
        raise AccessDenied("API keys are switched off (security.api_keys.enabled).")
    user = await _user(auth, username)
    if user.disabled:
        raise Conflict(f"The user {user.username} is disabled; `jackfield user enable` lets them in again.")
    now = context.clock.now_ms()
    text, key = new_key(user.id, name, scopes, now, expiry_of(expires, now))
    await auth.store().add_api_key(key)
    return {**view(key).model_dump(by_alias=True), "user": user.username, "key": text}


async def listed(context: PluginContext, username: str | None) -> list[dict[str, Json]]:
    """Rows of one user's keys, or of everybody's. Raises `NotFound`."""
    auth = context.port(AuthService)
    users = [await auth.accounts.named(username)] if username else await auth.accounts.all()
    return [row for user in users for row in await _rows(auth, user)]


async def delete(context: PluginContext, username: str | None, named: str) -> None:
    """Raises `NotFound`, `InvalidInput` where several have the name."""
    found = await listed(context, username)
    chosen = identified(found, named, "key")
    auth = context.port(AuthService)
    owner = next(str(row["user"]) for row in found if row["id"] == chosen)
    await auth.store().delete_api_key(chosen, (await auth.accounts.named(owner)).id)


async def _rows(auth: AuthService, user: User) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = []
    while True:
        page = await auth.store().api_keys(user.id, len(found), PAGE)
        found += [{**view(key).model_dump(by_alias=True), "user": user.username} for key in page.rows]
        if not page.rows or len(found) >= page.total:
            return found


async def _user(auth: AuthService, username: str | None) -> User:
    if username:
        return await auth.accounts.named(username)
    users = await auth.accounts.all()
    if not users:
        raise Conflict("There is no user that the key could be of; `jackfield user add` makes one.")
    if len(users) > 1:
        raise InvalidInput(f"Say whose key it is with --user: {', '.join(user.username for user in users[:20])}.")
    return users[0]
