"""Lists of models and counts of tokens, in the client's dialect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from aiohttp import web

from jackfield.api import jsontext
from jackfield.api.dialects.model import DialectError, DialectName
from jackfield_proxy.child.upstream.counting import may_count, tokens_in

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.client_request import ClientRequest
    from jackfield_proxy.child.upstream.counting import Counter
    from jackfield_proxy.plan import ProxyPlan, Target

_JSON = "application/json"
_CREATED = "1970-01-01T00:00:00Z"


def models(listing: Iterable[str], path: str, dialect: DialectName) -> web.Response:
    """These models, or the one of the path, in a form that clients of Anthropic and OpenAI read, or of Gemini."""
    make = _google_model if dialect == "gemini" else _model
    names = [*listing]
    wanted = unquote(path.partition("/models")[2].lstrip("/"))
    if wanted:
        if wanted not in names:
            raise DialectError(404, "There is no such model.", "not_found_error")
        return _json(make(wanted))
    listed = [make(name) for name in names]
    if dialect == "gemini":
        return _json({"models": listed})
    ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {"first_id": None, "last_id": None}
    return _json({"object": "list", "data": listed, "has_more": False, **ends})


def _model(name: str) -> dict[str, object]:
    own = {"created_at": _CREATED, "created": 0, "owned_by": "jackfield"}
    return {"type": "model", "object": "model", "id": name, "display_name": name, **own}


def _google_model(name: str) -> dict[str, object]:
    verbs = ["generateContent", "streamGenerateContent", "countTokens"]
    return {"name": f"models/{name}", "displayName": name, "version": "", "supportedGenerationMethods": verbs}


async def count(counter: Counter, plan: ProxyPlan, call: ClientRequest, target: Target) -> web.Response:
    """The provider's own count where its dialect has one; else our estimate."""
    upstream = plan.upstreams.get(target.provider)
    tokens = None
    if upstream is not None and may_count(upstream):
        found = await counter.answer(plan, call, target)
        if found is not None and upstream.family == call.dialect:
            return web.Response(body=found, content_type=_JSON)
        tokens = tokens_in(found) if found is not None else None
    name = "totalTokens" if call.dialect == "gemini" else "input_tokens"
    return _json({name: (await call.attributes()).tokens if tokens is None else tokens})


def _json(value: object) -> web.Response:
    return web.Response(body=jsontext.dumps(value), content_type=_JSON)
