"""`GET /v1/models` and `POST /v1/messages/count_tokens`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from aiohttp import web

from jackfield.api import jsontext
from jackfield.api.dialects.model import DialectError

if TYPE_CHECKING:
    from jackfield_proxy.child.serving.exchange import ProxiedExchange

_JSON = "application/json"
_CREATED = "1970-01-01T00:00:00Z"


def models(listing: Iterable[str], path: str) -> web.Response:
    """These models, or the one of the path, in a form that clients of either family read. path: below `/v1`."""
    listed = [_model(name) for name in listing]
    _, _, wanted = path.removeprefix("/models").partition("/")
    if wanted:
        found = next((one for one in listed if one["id"] == unquote(wanted)), None)
        if found is None:
            raise DialectError(404, "There is no such model.", "not_found_error")
        return _json(found)
    ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {"first_id": None, "last_id": None}
    return _json({"object": "list", "data": listed, "has_more": False, **ends})


def _model(name: str) -> dict[str, object]:
    own = {"created_at": _CREATED, "created": 0, "owned_by": "jackfield"}
    return {"type": "model", "object": "model", "id": name, "display_name": name, **own}


async def count(exchange: ProxiedExchange) -> web.Response:
    """The provider's own count where it speaks Anthropic's dialect and counts; else our estimate."""
    target = (await exchange.candidates())[0].target
    upstream = exchange.plan.upstreams.get(target.provider)
    if upstream is not None and upstream.family == "anthropic" and not upstream.platform:
        found = await exchange.shared.counter.answer(exchange.plan, exchange.call, target)
        if found is not None:
            return web.Response(body=found, content_type=_JSON)
    return _json({"input_tokens": (await exchange.call.attributes()).tokens})


def _json(value: object) -> web.Response:
    return web.Response(body=jsontext.dumps(value), content_type=_JSON)
