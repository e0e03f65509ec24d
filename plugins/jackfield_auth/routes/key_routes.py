"""`/api/v1/api-keys`: one's own API keys."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.auth import SCOPES, Principal
from jackfield.api.clock import from_iso, iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, NotFound
from jackfield.api.http import operation, principal, read_model, read_query
from jackfield.api.projects import ProjectAccess
from jackfield.api.records import replace
from jackfield.api.storage import ApiKey
from jackfield_auth.keys.api_keys import new_key
from jackfield_auth.routes.answers import answer, caller_by, done
from jackfield_auth.routes.schemas import AuthPaging, KeyBody, KeyList, KeyView, NewKeyView
from jackfield_auth.service import AuthService


def key_routes(auth: AuthService) -> Blueprint:
    routes = Blueprint("api_keys", __name__, url_prefix="/api/v1/api-keys")

    @routes.get("")
    @operation(
        "List one's own API keys",
        operation_id="listApiKeys",
        scope=None,
        response=KeyList,
        query=AuthPaging,
        tags=["api-keys"],
    )
    async def keys() -> Response:
        asked = read_query(AuthPaging)
        offset, limit = asked.offset, asked.limit
        page = await auth.store().api_keys(principal().user_id, offset, limit)
        return answer(KeyList(data=[view(key) for key in page.rows], total=page.total, offset=offset, limit=limit))

    @routes.post("")
    @operation(
        "Create an API key",
        operation_id="createApiKey",
        scope=None,
        request=KeyBody,
        response=NewKeyView,
        status=201,
        tags=["api-keys"],
        errors=(Conflict,),
    )
    async def create() -> Response:
        caller = caller_by("jwt", "session")
        body = await read_model(KeyBody)
        if not auth.keys_enabled:
            raise AccessDenied("API keys are switched off (security.api_keys.enabled).")
        now = auth.context.clock.now_ms()
        text, key = new_key(caller.user_id, body.name, scopes_of(body, caller), now, expiry_of(body.expires_at, now))
        key = replace(key, projects=await projects_of(auth.context, body))
        await auth.store().add_api_key(key)
        auth.context.log.info("API key %s was made for user %s.", key.id, caller.user_id)
        return answer(NewKeyView(**view(key).model_dump(), key=text), 201)

    @routes.delete("/<key_id>")
    @operation("Revoke an API key", operation_id="revokeApiKey", scope=None, status=204, tags=["api-keys"])
    async def revoke(key_id: str) -> Response:
        caller = principal()
        if caller.is_limited and caller.claims.get("key") != key_id:
            raise AccessDenied("An API key with scopes may revoke itself only.")
        if not await auth.store().delete_api_key(key_id, caller.user_id):
            raise NotFound("There is no such API key.")
        auth.context.log.info("API key %s of user %s was revoked.", key_id, caller.user_id)
        return done()

    return routes


def view(key: ApiKey) -> KeyView:
    return KeyView(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        scopes=list(key.scopes),
        projects=list(key.projects),
        created_at=iso(key.created_at),
        expires_at=None if key.expires_at is None else iso(key.expires_at),
        last_used_at=None if key.last_used_at is None else iso(key.last_used_at),
    )


def scopes_of(body: KeyBody, caller: Principal) -> tuple[str, ...]:
    """The scopes asked for, each once. Raises `InvalidInput` for an unknown one, `AccessDenied` for one that the caller
    does not have."""
    asked = tuple(dict.fromkeys(body.scopes or ()))
    for number, scope in enumerate(asked):
        if scope not in SCOPES:
            known = f"{scope[:64]} is no scope; there are {', '.join(sorted(SCOPES))}"
            raise InvalidInput("A scope is not known.", details={f"scopes[{number}]": known})
        caller.require(scope)
    return asked


async def projects_of(context: PluginContext, body: KeyBody) -> tuple[str, ...]:
    """Those asked for, each once. Raises `InvalidInput` for one that the caller is not in."""
    asked = tuple(dict.fromkeys(body.projects or ()))
    access = context.find_port(ProjectAccess) if asked else None
    if access is None:
        return asked
    rights = await access.rights()
    for number, project_id in enumerate(asked):
        known = await access.project(project_id) is not None
        if not known or (rights is not None and project_id not in rights.roles):
            told = {f"projects[{number}]": "give the id of one of your projects"}
            raise InvalidInput("A project is not known.", details=told)
    return asked


def expiry_of(given: str | None, now: int) -> int | None:
    """Unix ms; None: never. Raises `InvalidInput` unless it is a time to come."""
    if given is None:
        return None
    try:
        moment = from_iso(given)
        iso(moment)  # what cannot be shown again is no time
    except (ValueError, OverflowError, OSError):
        raise InvalidInput("expiresAt is not a time.", details={"expiresAt": "must be ISO 8601, in UTC"}) from None
    if moment <= now:
        raise InvalidInput("expiresAt is in the past.", details={"expiresAt": "must be in the future"})
    return moment
