"""`/api/gateway`: virtual keys, and what each has used.

Source: docs/decisions.md, 'Virtual keys'.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.http import operation, read_model, read_query, success
from jackfield.api.profiles import Profiles
from jackfield_gateway.keyring import VirtualKeyRing
from jackfield_gateway.keys.editing import changed, new_virtual_key, require_profiles_or_null
from jackfield_gateway.limits.account import KeyAccount
from jackfield_gateway.schemas import KeyChangeBody, KeysQuery, KeyUsageQuery, NewKeyBody
from jackfield_gateway.views import key_view, usage_view

TAGS = ("virtual keys",)
_SCHEMAS = "jackfield_gateway.schemas"
_ONE, _NEW = f"{_SCHEMAS}:VirtualKeyAnswer", f"{_SCHEMAS}:NewVirtualKeyAnswer"
_FIRST_DAY, _LAST_DAY = 0, 99_999_999


class GatewayRoutes:
    """Every caller who passes the gate may call them: to read, or to change, as with agents."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _ring(self) -> VirtualKeyRing:
        return self._context.port(VirtualKeyRing)

    @operation(
        "List the virtual keys",
        operation_id="listVirtualKeys",
        scope=None,
        query=f"{_SCHEMAS}:KeysQuery",
        response=f"{_SCHEMAS}:VirtualKeyList",
        tags=TAGS,
    )
    async def list_keys(self) -> Response:
        every = read_query(KeysQuery).revoked
        seen = await self._ring.seen()
        return success([self._shown(one) for one in seen if every or one.key.revoked_at is None])

    @operation(
        "Make a virtual key; the answer alone has the key itself",
        operation_id="createVirtualKey",
        scope=None,
        request=f"{_SCHEMAS}:NewKeyBody",
        response=_NEW,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def make_key(self) -> Response:
        body = await read_model(NewKeyBody)
        require_profiles_or_null(body)
        await self._require_profiles(body.profiles or ())
        text, account = await self._ring.make(new_virtual_key(body, self._context.clock.now_ms()))
        self._context.log.info("The virtual key %s was made.", account.key.id)
        return success({**self._shown(account), "key": text})

    @operation("Show a virtual key", operation_id="getVirtualKey", scope=None, response=_ONE, tags=TAGS)
    async def get_key(self, key_id: str) -> Response:
        return success(self._shown(await self._ring.find(key_id)))

    @operation(
        "Change a virtual key; it counts from the next request on",
        operation_id="updateVirtualKey",
        scope=None,
        request=f"{_SCHEMAS}:KeyChangeBody",
        response=_ONE,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def change_key(self, key_id: str) -> Response:
        body = await read_model(KeyChangeBody)
        require_profiles_or_null(body)
        await self._require_profiles(body.profiles or ())
        now_ms = self._context.clock.now_ms()
        return success(self._shown(await self._ring.change(key_id, lambda key: changed(key, body, now_ms))))

    @operation(
        "Revoke a virtual key for good, from now on",
        operation_id="revokeVirtualKey",
        scope=None,
        response=_ONE,
        tags=TAGS,
    )
    async def revoke_key(self, key_id: str) -> Response:
        account = await self._ring.revoke(key_id)
        self._context.log.info("The virtual key %s was revoked.", key_id)
        return success(self._shown(account))

    @operation(
        "Give a virtual key a new secret; the old one counts no more",
        operation_id="rotateVirtualKey",
        scope=None,
        response=_NEW,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def rotate_key(self, key_id: str) -> Response:
        text, account = await self._ring.rotate(key_id)
        self._context.log.info("The virtual key %s has a new secret.", key_id)
        return success({**self._shown(account), "key": text})

    @operation(
        "Tell what virtual keys have used, by day, profile and model",
        operation_id="getVirtualKeyUsage",
        scope=None,
        query=f"{_SCHEMAS}:KeyUsageQuery",
        response=f"{_SCHEMAS}:KeyUsageList",
        tags=TAGS,
        errors=(NotFound,),
    )
    async def get_usage(self) -> Response:
        query = read_query(KeyUsageQuery)
        if query.key is not None:
            await self._ring.find(query.key)
        since, until = _day(query.since, _FIRST_DAY), _day(query.until, _LAST_DAY)
        rows = await self._ring.usage(query.key, since, until, query.limit)
        accounts = {one.key.id: one for one in await self._ring.seen()}
        return success([usage_view(row, accounts) for row in rows])

    async def _require_profiles(self, aliases: Iterable[str]) -> None:
        """Raises `InvalidInput` for one that there is not."""
        wanted = set(aliases)
        known = {one.alias for one in await self._context.port(Profiles).all()} if wanted else set()
        if missing := sorted(wanted - known):
            told = f"there is no profile {', '.join(missing)}; there are: {', '.join(sorted(known)) or 'none'}"
            raise InvalidInput(f"The key names a profile that is not there: {told}.", details={"profiles": told})

    def _shown(self, account: KeyAccount) -> dict[str, object]:
        return {**key_view(account, self._context.clock.now_ms())}


def _day(text: str | None, otherwise: int) -> int:
    return otherwise if text is None else int(text.replace("-", ""))


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    routes = GatewayRoutes(context)
    made = Blueprint("gateway", __name__, url_prefix="/api/gateway")
    for method, path, view in (
        ("GET", "/keys", routes.list_keys),
        ("POST", "/keys", routes.make_key),
        ("GET", "/keys/<key_id>", routes.get_key),
        ("PATCH", "/keys/<key_id>", routes.change_key),
        ("DELETE", "/keys/<key_id>", routes.revoke_key),
        ("POST", "/keys/<key_id>/rotate", routes.rotate_key),
        ("GET", "/usage", routes.get_usage),
    ):
        made.add_url_rule(path, f"{view.__name__}", view, methods=[method])
    return [made]
