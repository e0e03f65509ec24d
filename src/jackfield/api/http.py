"""The parts that Quart routes of a plugin use: typed operations, the caller, bodies and queries."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ValidationError
from quart import Request, Response, current_app, g, request

from . import jsontext
from .auth import Principal, Standing, unending
from .binary import Content, Streamed, stream_of
from .body_budget import SMALL, TakenMemory, apart, budget_of, json_memory, taken_for
from .downloads import saved_as
from .errors import AuthRequired, InvalidInput, JackfieldError, PayloadTooLarge, UnsupportedMediaType
from .http_client import is_loopback
from .json_slices import pieces
from .object_references import load
from .records import record

if TYPE_CHECKING:
    from .asgi import Scope
    from .context import PluginContext

ModelRef: TypeAlias = "type[BaseModel] | str"
"""A model, or where it is, `package.module:Name`: then it is imported once OpenAPI is asked for."""
ModelT = TypeVar("ModelT", bound=BaseModel)
View: TypeAlias = Callable[..., Awaitable[Response]]
RouteT = TypeVar("RouteT", bound=Callable[..., Any])  # a view may take and return what Quart allows

SAVED: Mapping[str, str] = {"Content-Disposition": "Name of the file to save."}
"""`headers` of an operation whose answer is saved as a file, see `save_as`."""


_MOST_FIELDS = 50
"""Names of a body's fields that the audit log has."""


class AnyQuery(BaseModel):
    """The query of an operation that takes whatever parameters it is given. All others under `/api/v1` refuse those
    that their model does not have."""


@record
class Operation:
    """A view's description for OpenAPI.

    `scope`: what the caller must have; `admin`: role admin; None: any principal; `public`: nobody has to be known.
    `errors`: those that do not follow from the rest, as 404 follows from a parameter in the path. `media`: types of the
    answer, JSON of the model by default. `body_optional`: whether the request's body may be missing. `also`: further
    statuses of the same answer. `headers`: of the answer. `reads`: of the request, each with a sentence, beside those
    of every operation. `operation_id`: the name of the call in generated clients, in camelCase, unique; empty: made of
    the view's name. `act`: how the audit log names it, empty: by method and path; `UNRECORDED`: it changes and reveals
    nothing. Of those that only read, the ones with an act are recorded.
    """

    summary: str
    scope: str | None
    request_model: ModelRef | None = None
    response_model: ModelRef | None = None
    status: int = 200
    query_model: ModelRef | None = None
    tags: Sequence[str] = field(default_factory=tuple)
    errors: Sequence[type[JackfieldError]] = field(default_factory=tuple)
    media: Sequence[str] = field(default_factory=tuple)
    body_optional: bool = False
    also: Sequence[int] = field(default_factory=tuple)
    headers: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str] = field(default_factory=dict)
    operation_id: str = ""
    act: str = ""

    @property
    def request(self) -> type[BaseModel] | None:
        return _model(self.request_model)

    @property
    def response(self) -> type[BaseModel] | None:
        return _model(self.response_model)

    @property
    def query(self) -> type[BaseModel] | None:
        return _model(self.query_model)


def _model(reference: ModelRef | None) -> type[BaseModel] | None:
    if not isinstance(reference, str):
        return reference
    return cast("type[BaseModel]", load(reference))


def operation(
    summary: str,
    *,
    scope: str | None,
    request: ModelRef | None = None,
    response: ModelRef | None = None,
    status: int = 200,
    query: ModelRef | None = None,
    tags: Sequence[str] = (),
    errors: Sequence[type[JackfieldError]] = (),
    media: Sequence[str] = (),
    body_optional: bool = False,
    also: Sequence[int] = (),
    headers: Mapping[str, str] | None = None,
    reads: Mapping[str, str] | None = None,
    operation_id: str = "",
    act: str = "",
) -> Callable[[RouteT], RouteT]:
    """Describe a view; the kernel checks the scope before it calls the view. The innermost decorator of a view."""

    described = Operation(
        summary,
        scope,
        request,
        response,
        status,
        query,
        tags,
        errors,
        media,
        body_optional,
        also,
        headers or {},
        reads or {},
        operation_id,
        act,
    )

    def mark(view: RouteT) -> RouteT:
        view.jackfield_operation = described  # type: ignore[attr-defined]
        return view

    return mark


def deferred_view(reference: str, context: PluginContext, described: Callable[[View], View]) -> View:
    """A view whose work stands in another module, which is imported with its first request.

    `reference`: of a coroutine function of the plugin's context and of the path's parameters. `described`: what
    `operation` made, since the host reads it at the start.
    """

    async def view(**parameters: object) -> Response:
        work = cast("View", load(reference))
        return await work(context, **parameters)

    return described(view)


def principal() -> Principal:
    """The caller of the current request. Raises `AuthRequired` on a public path without a credential."""
    found: Principal | None = g.get("principal")
    if found is None:
        raise AuthRequired
    return found


@record
class AuditedThing:
    """One of several things that a request has changed. `kind`: as in the name of its act, such as `workflow`."""

    kind: str
    id: str
    name: str = ""
    failed: bool = False


class AuditNotes:
    """The additions of a view, and of readers of its request, to the current request's record in the audit log."""

    def __init__(self) -> None:
        self.fields: Sequence[str] = ()
        self.subject = ""
        self.name = ""
        self.actor: tuple[str, str] | None = None
        """Id and name, where the request itself has no caller, such as a login."""
        self.code = ""
        self.things: Sequence[AuditedThing] = ()
        """Where one request is about several, such as an import: each has a record. Those of a request that fails
        were done before."""


def audit_notes() -> AuditNotes:
    """Of the current request."""
    found: AuditNotes | None = g.get("audit_notes")
    if found is None:
        found = g.audit_notes = AuditNotes()
    return found


def standing() -> Standing:
    """For everything that the current request leaves behind and that must not outlast its caller's rights."""
    found: Standing = request.scope.get("jackfield.standing", unending)  # type: ignore[assignment]
    return found


def request_scope() -> Scope:
    """Of the current request."""
    return cast("Scope", request.scope)


def is_from_network() -> bool:
    """Whether the current request comes from another machine, or through a proxy, behind which anybody may be."""
    return comes_from_network(request_scope())


def asks_one_host() -> bool:
    """Whether the current request is for this host alone: it names the host, or another one has passed it on."""
    return bool(request_scope().get("jackfield.one_host"))


def comes_from_network(scope: Scope) -> bool:
    """The same of any request or WebSocket that the gate has let in."""
    peer = (scope.get("client") or ("", 0))[0]
    return bool(scope.get("jackfield.forwarded")) or not is_loopback(str(peer))


def request_id() -> str:
    """The id of the current request, as in X-Request-Id."""
    return str(request.scope.get("jackfield.request_id", ""))


def client_address(incoming: Request | None = None) -> str:
    """The caller's address, after `server.trusted_proxies`; `unknown` when there is none (a Unix socket)."""
    return str((incoming or request).scope.get("jackfield.client", "unknown"))


async def read_json(max_depth: int = jsontext.MAX_DEPTH) -> jsontext.Json:
    """The request's JSON body. Raises `UnsupportedMediaType` for another type, `InvalidInput` for bad JSON,
    `PayloadTooLarge` above the limit that the kernel set or when it takes too much memory, `MemoryExhausted`."""
    kind = (request.content_type or "").split(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMediaType("Send the body as application/json.")
    limit = request.max_content_length
    if limit is not None and (request.content_length or 0) > limit:
        raise _too_large(limit)
    body = cast("bytes", await request.get_data(cache=False))
    if limit is not None and len(body) > limit:
        raise _too_large(limit)
    if len(body) < SMALL:
        return _noted(jsontext.loads(body, max_depth=max_depth))
    budget = budget_of(request.scope)
    g.body_memory = taken_for(request.scope, await apart(budget, json_memory, body), len(body))
    return _noted(await apart(budget, jsontext.loads, body, max_depth=max_depth))


def _noted(body: jsontext.Json) -> jsontext.Json:
    if isinstance(body, dict):
        audit_notes().fields = tuple(itertools.islice(body, _MOST_FIELDS))
    return body


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The body may have at most {limit} bytes: send less at a time, or raise the setting server.body_limit."
    )


def taken_memory() -> TakenMemory | None:
    """The share of the daemon's budget that the current request's JSON takes until the request is over.

    Hand it on to the execution that has the body from then on. None: the body is small.
    """
    found: TakenMemory | None = g.get("body_memory")
    return found


def forget_body_memory() -> None:
    """The request is over.

    Memory that nobody took over is free again, even while an error's traceback keeps the rest.
    """
    g.pop("body_memory", None)


async def read_model(model: type[ModelT] | str) -> ModelT:
    """The body as this model. Raises `InvalidInput` with the json path of every mistake. A model by its object
    reference is imported with the first body; name its type at the variable: `body: Hello = await
    read_model("...:Hello")`."""
    found = cast("type[ModelT]", load(model)) if isinstance(model, str) else model
    return parse_model(found, await read_json())


def parse_model(model: type[ModelT], value: object) -> ModelT:
    """Validate; raises `InvalidInput` (details: json path -> what is wrong; the values are not quoted)."""
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        details = validation_details(exc)
        first = next(f"{path}: {what}" for path, what in details.items())
        raise InvalidInput(f"The request does not have the expected form. {first}.", details=details) from None


def read_query(model: type[ModelT] | str) -> ModelT:
    """The query string as this model, which is the operation's.

    The last of repeated keys counts, and one without a value is as good as absent. A model by its object reference as
    in `read_model`. Raises `InvalidInput`.
    """
    found = cast("type[ModelT]", load(model)) if isinstance(model, str) else model
    _require_declared(found)
    given = {key: values[-1] for key, values in request.args.to_dict(flat=False).items()}
    return parse_model(found, {key: value for key, value in given.items() if value})


def _require_declared(model: type[BaseModel]) -> None:
    """The model that the view reads is the one that OpenAPI shows and that the kernel lets through.

    Raises `TypeError`, which is a defect.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    described = getattr(view, "jackfield_operation", None)
    if isinstance(described, Operation) and described.query is not model:
        raise TypeError(f"The view {request.endpoint} reads {model.__name__}, which its @operation does not name.")


def validation_details(error: ValidationError) -> dict[str, str]:
    """json path -> message, for details."""
    found: dict[str, str] = {}
    for entry in error.errors(include_url=False, include_context=False, include_input=False):
        path = ""
        for part in entry["loc"]:
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
        found.setdefault(path or "body", entry["msg"])
    return found


def response_of(content: Content, status: int = 200) -> Response:
    """An answer that is bytes or a kept file, which goes with its length and takes as long as the caller takes it."""
    if not isinstance(content, Streamed):
        return Response(content, status=status)
    made = Response(stream_of(content), status=status)
    made.content_length = content.size
    made.timeout = None
    return made


def save_as(answer: Response, name: str) -> None:
    """Make the browser save the answer as a file of this name, whatever it holds.

    The name may be anybody's text, of which 255 characters count.
    """
    answer.headers["Content-Disposition"] = saved_as(name)


def json_response(value: object, status: int = 200) -> Response:
    """Any JSON value as an answer."""
    return Response(jsontext.dumps(value), status=status, content_type="application/json")


async def long_json_response(value: object) -> Response:
    """The same for a value with many elements: written on a thread, and let go of piece by piece as it is sent."""
    written = await asyncio.to_thread(lambda: list(pieces(value)))
    answer = Response(_let_go(written), content_type="application/json")
    answer.content_length = sum(map(len, written))
    answer.timeout = None
    return answer


async def _let_go(written: list[bytes]) -> AsyncIterator[bytes]:
    written.reverse()
    while written:
        yield written.pop()


def success(data: object = None, *, warnings: Sequence[str] = ()) -> Response:
    """The envelope of every path that is not the workflow service's. warnings: beside `data`, when there are any."""
    body: dict[str, object] = {"success": True}
    if data is not None:
        body["data"] = data
    if warnings:
        body["warnings"] = list(warnings)
    return json_response(body)
