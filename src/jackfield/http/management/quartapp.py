"""The Quart application for everything that is not a hot path: blueprints of the plugins and of the kernel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

from quart import Blueprint, Quart, Response, current_app, g, has_request_context, request, websocket
from quart.ctx import RequestContext, WebsocketContext
from quart.routing import QuartRule
from quart.typing import ResponseTypes
from quart.wrappers import Request, Websocket
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout
from werkzeug.exceptions import MethodNotAllowed as HttpMethodNotAllowed
from werkzeug.exceptions import NotFound as HttpNotFound

from jackfield.api import errors
from jackfield.api.auth import Principal
from jackfield.api.containment import Escaped, is_ctrl_c, passes, told
from jackfield.api.errors import AuthRequired, ConfigurationError, JackfieldError
from jackfield.api.headroom import unexpected
from jackfield.api.http import Operation, audit_notes, forget_body_memory
from jackfield.core.tables import ServerSettings

from ..errors import body_of, challenge
from ..openapi.operation_ids import STRANGERS
from ..route_checks import mistakes, operation_of, stranger_mistakes
from .auditing import Auditing, AuditPorts
from .queries import check_query

log = logging.getLogger("jackfield.http")
PUBLIC_BODY = 512 * 1024
"""Largest body, in bytes, of a request that nobody has to authenticate for: it is parsed on the event loop, in a
millisecond or two."""


Refuse = Callable[[str, str], None]
"""Told the plugin, and every mistake in its routes."""


class _Route(QuartRule):
    """Werkzeug compiles two functions for each route that make its address (`url_for`), which took a fourth of the
    assembling. Nobody asks for them here; whoever does waits for the compiler then."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        make = super()._compile_builder

        def build(rule: QuartRule, *args: object, **kwargs: object) -> tuple[str, str]:
            return make(append_unknown)(rule, *args, **kwargs)

        return build


class _Quart(Quart):
    """An exception of a view is an `Exception`: in the view's task `SystemExit` would end the daemon."""

    left: Callable[[], None] = staticmethod(lambda: None)
    """Told of a request that is given up because its caller has gone."""

    async def full_dispatch_request(self, request_context: RequestContext | None = None) -> ResponseTypes:
        try:
            return await super().full_dispatch_request(request_context)
        except asyncio.CancelledError:
            self.left()
            raise
        except Exception:
            raise
        except BaseException as exc:
            if passes(exc):
                raise
            raise Escaped(exc) from exc
        finally:
            forget_body_memory()

    async def full_dispatch_websocket(self, websocket_context: WebsocketContext | None = None) -> ResponseTypes | None:
        try:
            return await super().full_dispatch_websocket(websocket_context)
        except Exception:
            raise
        except BaseException as exc:
            if passes(exc):
                raise
            raise Escaped(exc) from exc


def make_quart(
    own: Iterable[Blueprint],
    strangers: Iterable[tuple[str, Blueprint]],
    server: ServerSettings,
    refuse: Refuse,
    audit: AuditPorts = (lambda: None, lambda: None),
) -> Quart:
    """Register everything, and check that every route is described and none shadows another.

    Raises `ConfigurationError` for a mistake of ours; `refuse` hears of a stranger's, with the plugin's name. `audit`:
    takes the records of callers' acts.
    """
    app = _Quart("jackfield", static_folder=None, template_folder=None)
    app.url_rule_class = _Route
    app.config.update(
        MAX_CONTENT_LENGTH=server.body_limit, BODY_TIMEOUT=server.body_timeout, PROVIDE_AUTOMATIC_OPTIONS=False
    )
    app.url_map.merge_slashes = False
    for blueprint in own:
        app.register_blueprint(blueprint)
    for mistake in mistakes(app, {}):
        raise ConfigurationError(mistake)
    taken_in = app.extensions[STRANGERS] = set[str]()
    for plugin, blueprint in strangers:
        try:
            if found := stranger_mistakes(blueprint, app):
                refuse(plugin, " ".join(found))
            else:
                taken_in.add(blueprint.name)
                app.register_blueprint(blueprint)
        except BaseException as exc:
            if is_ctrl_c(exc):
                raise
            refuse(plugin, told(exc))
    app.before_request(_authorize)
    auditing = Auditing(app, audit, _answer)
    app.left = auditing.left
    app.before_request(auditing.before)
    app.after_request(auditing.after)
    app.before_websocket(_authorize)
    app.register_error_handler(JackfieldError, _error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
    return app


def public_paths(app: Quart) -> frozenset[str]:
    """Paths whose every operation is public."""
    scopes: dict[str, set[str | None]] = {}
    for rule in app.url_map.iter_rules():
        found = operation_of(app, rule.endpoint)
        scopes.setdefault(rule.rule, set()).add(found.scope if found else None)
    return frozenset(path for path, given in scopes.items() if given == {"public"})


def _asked() -> Request | Websocket:
    """The current request or WebSocket: checks and error handlers serve both alike."""
    return request if has_request_context() else websocket


async def _authorize() -> None:
    """After routing, before the view: the caller must have the operation's scope, and ask for what it knows."""
    caller: Principal | None = _asked().scope.get("jackfield.principal")  # type: ignore[assignment]
    g.principal = caller
    view = _asked().endpoint
    if view is None:
        return
    described = operation_of(current_app._get_current_object(), view)  # type: ignore[attr-defined]
    if described is None:
        return
    _require(described, caller)
    check_query(described, _asked())


def _require(described: Operation, caller: Principal | None) -> None:
    if described.scope == "public":
        if has_request_context():
            request.max_content_length = min(PUBLIC_BODY, request.max_content_length or PUBLIC_BODY)
        return
    if caller is None:
        raise AuthRequired
    if described.scope == "admin":
        caller.require_admin()
    elif described.scope is not None:
        caller.require(described.scope)


def _answer(error: JackfieldError) -> Response:
    asked = _asked()
    if has_request_context():
        audit_notes().code = error.code
    ident = str(asked.scope.get("jackfield.request_id", ""))
    response = Response(body_of(error, asked.path, ident), status=error.status, content_type="application/json")
    for name, value in [*error.headers, *challenge(error)]:
        response.headers.add(name, value)
    return response


async def _error(error: JackfieldError) -> Response:
    if error.status >= 500:
        log.warning("%s %s: %s", _asked().method, _asked().path, error.message)
    else:
        # The code alone: the message may quote the caller.
        log.info("%s %s was refused: %d %s.", _asked().method, _asked().path, error.status, error.code)
    return _answer(error)


async def _http_error(error: HTTPException) -> Response:
    return await _error(translate(error))


def translate(error: HTTPException) -> JackfieldError:
    """A framework error as one of ours."""
    if isinstance(error, HttpNotFound):
        return errors.NotFound("There is nothing at this address.")
    if isinstance(error, HttpMethodNotAllowed):
        return errors.MethodNotAllowed(sorted(set(error.valid_methods or ()) - {"OPTIONS"}))
    if isinstance(error, RequestEntityTooLarge):
        return errors.PayloadTooLarge("The body is larger than the setting server.body_limit allows.")
    if isinstance(error, RequestTimeout):
        return errors.RequestTimeout()
    if error.code is not None and 400 <= error.code < 500:
        return errors.InvalidInput("The request cannot be read.", details={"request": str(error.name)})
    return JackfieldError()


async def _unexpected(error: Exception) -> Response:
    log.error("%s %s failed.", _asked().method, _asked().path, exc_info=error)
    return _answer(unexpected(error))
