"""`/api/proxy`.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

from quart import Blueprint, Response, request

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.http import operation, read_json, read_model, read_query, success
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.proxy import Proxies
from jackfield_proxy.schemas import ProxyLogQuery, RequestsQuery, RuleTestBody

if TYPE_CHECKING:
    from jackfield_proxy.daemon.manager import ProxyManager

TAGS = ("proxies",)
ETAG = {"ETag": "Of this configuration, for If-Match of a change."}
_SCHEMAS = "jackfield_proxy.schemas"
_ONE = f"{_SCHEMAS}:ProxyAnswer"


class ProxyRoutes:
    """Views on proxies; whoever passes the gate may call them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._saving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def _manager(self) -> ProxyManager:
        """The one behind the port, by its own type."""
        return cast("ProxyManager", self._context.port(Proxies))

    @operation("List the proxies", scope=None, response=f"{_SCHEMAS}:ProxyList", tags=TAGS)
    async def list_proxies(self) -> Response:
        return success(await self._manager.every())

    @operation(
        "Show the listener that all proxies share",
        operation_id="getSharedProxy",
        scope=None,
        response=f"{_SCHEMAS}:SharedAnswer",
        tags=TAGS,
    )
    async def get_shared(self) -> Response:
        return success(await self._manager.shared_view())

    @operation(
        "List the strategies and conditions of rules",
        operation_id="listProxyRuleKinds",
        scope=None,
        response=f"{_SCHEMAS}:RuleKindsShown",
        tags=TAGS,
    )
    async def list_kinds(self) -> Response:
        return success(self._manager.kinds())

    @operation(
        "Show a profile's proxy", operation_id="getProxy", scope=None, response=_ONE, tags=TAGS, errors=(Conflict,)
    )
    async def get_status(self, alias: str) -> Response:
        return success(await self._manager.status(alias))

    @operation(
        "Start a profile's proxy, and wait until it runs",
        operation_id="startProxy",
        scope=None,
        response=_ONE,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def start(self, alias: str) -> Response:
        return success(await self._manager.start(alias))

    @operation(
        "Stop a profile's proxy", operation_id="stopProxy", scope=None, response=_ONE, tags=TAGS, errors=(Conflict,)
    )
    async def stop(self, alias: str) -> Response:
        return success(await self._manager.stopped(alias))

    @operation(
        "Give a profile's proxy a new process",
        operation_id="restartProxy",
        scope=None,
        response=_ONE,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def restart(self, alias: str) -> Response:
        return success(await self._manager.restart(alias))

    @operation(
        "Stop every proxy", operation_id="stopAllProxies", scope=None, response=f"{_SCHEMAS}:StoppedShown", tags=TAGS
    )
    async def stop_all(self) -> Response:
        return success({"stopped": await self._manager.stop_all()})

    @operation(
        "Read the last lines of a proxy's log",
        operation_id="getProxyLog",
        scope=None,
        query=f"{_SCHEMAS}:ProxyLogQuery",
        response=f"{_SCHEMAS}:LogShown",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def get_logs(self, alias: str) -> Response:
        lines = read_query(ProxyLogQuery).lines
        await self._profile(alias)
        return success({"profile": alias, "lines": await self._manager.of(alias).tail(lines)})

    @operation(
        "Read a proxy's configuration",
        operation_id="getProxyConfig",
        scope=None,
        response=f"{_SCHEMAS}:ConfigShown",
        tags=TAGS,
        errors=(Conflict,),
        headers=ETAG,
    )
    async def get_config(self, alias: str) -> Response:
        return _config_answer(await self._profile(alias))

    @operation(
        "Replace a proxy's configuration; a running proxy takes it at once",
        operation_id="replaceProxyConfig",
        scope=None,
        response=f"{_SCHEMAS}:ConfigShown",
        tags=TAGS,
        request=f"{_SCHEMAS}:ProxyConfigBody",
        errors=(Conflict,),
        headers=ETAG,
        reads={"If-Match": "Tags of the configuration that may be replaced; otherwise 409. * or none: any."},
    )
    async def put_config(self, alias: str) -> Response:
        await self._profile(alias)
        given = await _given_config()
        saving = self._saving.setdefault(alias, asyncio.Lock())
        async with saving:
            _check_precondition(await self._profile(alias))
            profile, warnings = await self._manager.configure(alias, given)
        return _config_answer(profile, warnings)

    @operation(
        "Tell what a proxy's configuration would be; nothing is stored",
        operation_id="checkProxyConfig",
        scope=None,
        response=f"{_SCHEMAS}:ConfigShown",
        tags=TAGS,
        request=f"{_SCHEMAS}:ProxyConfigBody",
        errors=(Conflict,),
        headers=ETAG,
        act=UNRECORDED,
    )
    async def check_config(self, alias: str) -> Response:
        await self._profile(alias)
        profile, warnings = await self._manager.checked(alias, await _given_config())
        return _config_answer(profile, warnings)

    @operation(
        "List the latest requests of a proxy, the newest first",
        operation_id="listProxyRequests",
        scope=None,
        query=f"{_SCHEMAS}:RequestsQuery",
        response=f"{_SCHEMAS}:RequestsShown",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def get_requests(self, alias: str) -> Response:
        limit = read_query(RequestsQuery).limit
        await self._profile(alias)
        return success(self._manager.requests(alias, limit))

    @operation(
        "Tell which rule would take a request, and why; nothing is sent",
        operation_id="testProxyRules",
        scope=None,
        request=f"{_SCHEMAS}:RuleTestBody",
        response=f"{_SCHEMAS}:RuleTestShown",
        tags=TAGS,
        errors=(Conflict,),
        act=UNRECORDED,
    )
    async def test(self, alias: str) -> Response:
        profile = await self._profile(alias)
        return success(await self._manager.tested(profile, await read_model(RuleTestBody)))

    async def _profile(self, alias: str) -> Profile:
        return await self._context.port(Profiles).find(alias)


async def _given_config() -> dict[str, Json]:
    """Raises `InvalidInput`."""
    given = await read_json()
    if not isinstance(given, dict):
        raise InvalidInput("The proxy's configuration is an object.", code="PROXY_CONFIG_INVALID")
    return given


def _config(profile: Profile) -> Mapping[str, Json]:
    """As stored; what a profile without one would have, switched off."""
    stored = profile.proxy_config
    if stored is not None:
        return stored
    routing = cast("Json", {"strategy": "Conditional", "rules": []})
    return {"enabled": False, "port": None, "routing": routing, "model_aliases": {}}


def _config_answer(profile: Profile, warnings: Sequence[str] = ()) -> Response:
    response = success(_config(profile), warnings=warnings)
    response.headers["ETag"] = _tag(profile)
    return response


def _tag(profile: Profile) -> str:
    """Of what is stored, not of when: the same configuration has the same tag."""
    text = json.dumps(_config(profile), sort_keys=True, separators=(",", ":"))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def _check_precondition(profile: Profile) -> None:
    """`If-Match` (RFC 9110, 13.1.1): the tag that was read, several, or *. Raises `Conflict`."""
    given = request.headers.get("If-Match", "*")
    tags = {one.strip() for one in given.split(",")}
    if not tags & {"*", _tag(profile)}:
        raise Conflict(
            "The proxy's configuration was changed since it was read; read it again, or send no If-Match.",
            code="PROXY_CONFIG_CHANGED",
        )


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    routes = ProxyRoutes(context)
    made = Blueprint("proxies", __name__, url_prefix="/api/proxy")
    for method, path, view in (
        ("GET", "/status", routes.list_proxies),
        ("GET", "/kinds", routes.list_kinds),
        ("GET", "/shared", routes.get_shared),
        ("GET", "/status/<alias>", routes.get_status),
        ("POST", "/stop-all", routes.stop_all),
        ("POST", "/<alias>/start", routes.start),
        ("POST", "/<alias>/stop", routes.stop),
        ("POST", "/<alias>/restart", routes.restart),
        ("POST", "/<alias>/test", routes.test),
        ("GET", "/<alias>/logs", routes.get_logs),
        ("GET", "/<alias>/config", routes.get_config),
        ("PUT", "/<alias>/config", routes.put_config),
        ("POST", "/<alias>/config/check", routes.check_config),
        ("GET", "/<alias>/requests", routes.get_requests),
    ):
        made.add_url_rule(path, f"{view.__name__}", view, methods=[method])
    return [made]
