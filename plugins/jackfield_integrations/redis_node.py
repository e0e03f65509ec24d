"""Redis: keys, lists, counters and messages, through one connection per run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_items, passed_on
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_integrations.form import REDIS_UI
from jackfield_integrations.kinds import REDIS
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text

if TYPE_CHECKING:
    from jackfield_integrations.redis_session import RedisSession

KeyType = Literal["automatic", "hash", "list", "sets", "string"]


class RedisOptions(Parameters):
    dot_notation: bool = Field(True, description="Whether `a.b` in the property's name is a path.")


class RedisParameters(Parameters):
    ui_fields: ClassVar[UiFields] = REDIS_UI

    operation: Literal["delete", "get", "incr", "info", "keys", "llen", "pop", "publish", "push", "set"] = "info"
    key: Text = ""
    property_name: Text = Field("propertyName", description="The field that gets the value.")
    key_type: KeyType = "automatic"
    value: object = ""
    value_is_json: bool = Field(True, alias="valueIsJSON", description="Whether a hash is given as JSON.")
    expire: bool = False
    ttl: int = Field(60, ge=1, description="Seconds until the key is deleted, with expire.")
    key_pattern: Text = ""
    get_values: bool = True
    channel: Text = ""
    message_data: Text = ""
    list: Text = ""
    tail: bool = False
    options: RedisOptions = Field(default_factory=RedisOptions)

    def placed(self, value: Json) -> dict[str, Json]:
        """An object with the value at the property."""
        if not self.property_name:
            raise NodeError("The parameter propertyName is empty.")
        path = self.property_name.split(".") if self.options.dot_notation else [self.property_name]
        for name in reversed(path):
            value = {name: value}
        return value  # type: ignore[return-value]  # the path has at least one name

    def time_to_live(self) -> int | None:
        return self.ttl if self.expire else None


class RedisNode(IntegrationNode):
    """Values are texts in UTF-8; bytes that are none are replaced."""

    kind = "redis"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Redis",
        "Reads and changes keys, and publishes messages.",
        "network",
        credentials=(NodeCredential(REDIS.name),),
        missing=lacking_library("redis", "redis"),
    )
    model = RedisParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[RedisParameters] = await run.resolve()
        if not resolved:
            return [[]]
        opened = await self.opening(run, REDIS)

        async def one(session: RedisSession, index: int, parameters: RedisParameters) -> Items:
            made = await session.guarded(OPERATIONS[parameters.operation](session, parameters))
            return [passed_on(run.items[index], index)] if made is None else new_items([made], index)

        return [await self.through(run, resolved, opened, one)]


Answer = Awaitable["dict[str, Json] | None"]
"""The item after the operation; None: it is passed on."""


async def _delete(session: RedisSession, wanted: RedisParameters) -> None:
    await session.delete(_key(wanted))


async def _get(session: RedisSession, wanted: RedisParameters) -> dict[str, Json]:
    return wanted.placed(await session.value(_key(wanted), wanted.key_type))


async def _incr(session: RedisSession, wanted: RedisParameters) -> dict[str, Json]:
    key = _key(wanted)
    return {key: await session.increment(key, wanted.time_to_live())}


async def _info(session: RedisSession, wanted: RedisParameters) -> dict[str, Json]:
    return await session.info()


async def _keys(session: RedisSession, wanted: RedisParameters) -> dict[str, Json]:
    found = await session.keys(wanted.key_pattern or "*")
    if not wanted.get_values:
        return {"keys": list(found)}
    return {key: await session.value(key, "automatic") for key in found}


async def _llen(session: RedisSession, wanted: RedisParameters) -> dict[str, Json]:
    return {_list(wanted): await session.length(_list(wanted))}


async def _pop(session: RedisSession, wanted: RedisParameters) -> dict[str, Json]:
    return wanted.placed(await session.pop(_list(wanted), tail=wanted.tail))


async def _publish(session: RedisSession, wanted: RedisParameters) -> None:
    if not wanted.channel:
        raise NodeError("The parameter channel is empty.")
    await session.publish(wanted.channel, wanted.message_data)


async def _push(session: RedisSession, wanted: RedisParameters) -> None:
    await session.push(_list(wanted), wanted.message_data, tail=wanted.tail)


async def _set(session: RedisSession, wanted: RedisParameters) -> None:
    await session.store(_key(wanted), stored(wanted), wanted.time_to_live())


OPERATIONS: Mapping[str, Callable[[RedisSession, RedisParameters], Answer]] = {
    "delete": _delete,
    "get": _get,
    "incr": _incr,
    "info": _info,
    "keys": _keys,
    "llen": _llen,
    "pop": _pop,
    "publish": _publish,
    "push": _push,
    "set": _set,
}


def _key(wanted: RedisParameters) -> str:
    if not wanted.key:
        raise NodeError("The parameter key is empty.")
    return wanted.key


def _list(wanted: RedisParameters) -> str:
    if not wanted.list:
        raise NodeError("The parameter list is empty.")
    return wanted.list


def stored(wanted: RedisParameters) -> str | list[str] | dict[str, str] | set[str]:
    """The value that `set` writes: text, list, hash or set. Raises `NodeError`."""
    value = wanted.value
    match wanted.key_type:
        case "string":
            return _text(value)
        case "automatic" if not isinstance(value, dict | list):
            return _text(value)
        case "hash" if isinstance(value, str) and not wanted.value_is_json:
            return _pairs(value)
    given = _parsed(value)
    if isinstance(given, dict) and wanted.key_type in {"automatic", "hash"}:
        return {str(name): _text(entry) for name, entry in given.items()}
    if isinstance(given, list) and wanted.key_type != "hash":
        texts = [_text(entry) for entry in given]
        return set(texts) if wanted.key_type == "sets" else texts
    raise NodeError(
        f"The parameter value is not what the key type {wanted.key_type} takes: a list, or an object for a hash."
    )


def _parsed(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except InvalidInput:
        raise NodeError("The parameter value is not valid JSON.") from None


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    if not words or len(words) % 2:
        raise NodeError("The parameter value must be names and values in turn, such as: colour red size 3.")
    return dict(zip(words[::2], words[1::2], strict=True))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else dumps(value).decode()


def node(context: PluginContext) -> RedisNode:
    return RedisNode(context)
