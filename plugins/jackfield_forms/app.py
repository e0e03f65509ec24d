"""The pages as their own application: in with a request, out with a page. Their work is in `starting` and
`continuing`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from quart import Quart, Request, Response, request
from werkzeug.exceptions import HTTPException

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.resume import FORM as WAITING
from jackfield_forms import rendering
from jackfield_forms.continuing import Continuing
from jackfield_forms.mounts import LIVE, TEST
from jackfield_forms.receiving import FormRequest, Reception
from jackfield_forms.rendering import RenderedPage
from jackfield_forms.settings import FormSettings
from jackfield_forms.starting import Starting

_LASTING = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: browsers would then hide the origin of the form from us too.
    "Referrer-Policy": "same-origin",
}
Show = Callable[[Request], Awaitable[RenderedPage | Response]]


def build(context: PluginContext) -> Quart:
    settings = context.settings(FormSettings)
    app = Quart("jackfield_forms", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.body_limit
    app.config["MAX_FORM_MEMORY_SIZE"] = settings.body_limit
    app.config["MAX_FORM_PARTS"] = settings.max_parts
    app.config["BODY_TIMEOUT"] = None  # see receiving.arrived
    app.request_class = FormRequest
    reception = Reception(settings.submissions, settings.body_timeout, settings.body_min_rate)
    starting, continuing = Starting(context, settings, reception), Continuing(context, settings, reception)
    tests = settings.test_enabled if settings.test_enabled is not None else context.service.loopback

    async def answer(show: Awaitable[RenderedPage | Response]) -> Response:
        try:
            found = await show
        except JackfieldError as exc:
            found = rendering.problem(exc.status, exc.message)
            return _response(found, exc)
        return found if isinstance(found, Response) else _response(found)

    async def live(path: str) -> Response:
        return await answer(starting.serve(request, path, test=False))

    async def testing(path: str) -> Response:
        return await answer(starting.serve(request, path, test=True) if tests else _off())

    async def waiting(token: str) -> Response:
        return await answer(continuing.serve(request, token))

    methods = ["GET", "POST"]
    app.add_url_rule(f"/{LIVE}/<path:path>", view_func=live, methods=methods, strict_slashes=False)
    app.add_url_rule(f"/{TEST}/<path:path>", view_func=testing, methods=methods, strict_slashes=False)
    app.add_url_rule(f"/{WAITING}/<token>", view_func=waiting, methods=methods, strict_slashes=False)

    async def refused(error: HTTPException) -> Response:
        text = {404: "There is no form at this address.", 413: "The form's data is too large."}
        status = error.code or 500
        made = _response(rendering.problem(status, text.get(status, "This request cannot be answered.")))
        allowed = getattr(error, "valid_methods", None)
        if allowed:
            made.headers["Allow"] = ", ".join(sorted(allowed))
        return made

    async def failed(error: Exception) -> Response:
        context.log.error("A form failed.", exc_info=error)
        return _response(rendering.problem(500, "Something went wrong; please try again later."))

    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(Exception, failed)
    return app


async def _off() -> RenderedPage:
    raise NotFound("Test forms are switched off; see forms.test_enabled.")


def _response(page: RenderedPage, error: JackfieldError | None = None) -> Response:
    made = Response(page.body, status=page.status, content_type="text/html; charset=utf-8")
    for name, value in {**_LASTING, **page.headers}.items():
        made.headers[name] = value
    for name, value in error.headers if error is not None else ():
        made.headers[name] = value
    return made
