"""Pages as HTML: escaped by default, no script, one style sheet whose hash the policy names."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from jackfield.api.form_fields import FormField
from jackfield.api.records import record
from jackfield_forms.pages import Ending, FormPage
from jackfield_forms.sanitize import sanitized
from jackfield_forms.values import Sent

_TEMPLATES = Path(__file__).parent / "templates"


@record
class RenderedPage:
    """An answer. headers: beside those that every page has."""

    status: int
    body: str
    headers: Mapping[str, str]


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )


@lru_cache(maxsize=1)
def _style() -> str:
    return (_TEMPLATES / "style.css").read_text(encoding="utf-8")


async def form(
    page: FormPage,
    action: str,
    *,
    html_tags: int,
    sent: Sent | None = None,
    query: Mapping[str, str] | None = None,
    mistakes: Mapping[str, str] | None = None,
) -> RenderedPage:
    """The form. Its HTML is cleaned on a thread: that may take a tenth of a second.

    html_tags: how many one field's HTML may have. sent and mistakes: of a submission that is shown again;
    query: values to begin with."""
    cleaned = await _cleaned(page, html_tags)

    def value(field: FormField) -> str:
        if sent is not None:
            return "" if field.kind == "password" else sent.text(field)
        return (query or {}).get(field.key, field.default) if field.kind != "password" else ""

    def chosen(field: FormField) -> Sequence[str]:
        if sent is not None:
            return sent.texts.get(field.name, ())
        given = value(field)
        return [given] if given in field.options else [part.strip() for part in given.split(",")]

    return _page(
        400 if mistakes else 200,
        "form.html",
        page.title or "Form",
        page.css,
        page=page,
        action=action,
        mistakes=mistakes or {},
        value=value,
        chosen=chosen,
        html=lambda field: cleaned[field.name],
    )


async def _cleaned(page: FormPage, tags: int) -> Mapping[str, Markup]:
    """Field's name -> its HTML."""
    fields = [field for field in page.fields if field.kind == "html"]

    def clean() -> dict[str, Markup]:
        return {field.name: Markup(sanitized(field.html, tags)) for field in fields}  # noqa: S704 - what is left is safe

    return await asyncio.to_thread(clean) if fields else {}


def decision(title: str, text: str, button: str, action: str) -> RenderedPage:
    """A question and the one answer that its link allows: a button, so that nothing that only reads links answers."""
    return _page(200, "decision.html", title, "", text=text, button=button, action=action)


def message(
    title: str, text: str, *, status: int = 200, refresh: str = "", css: str = "", link: str = ""
) -> RenderedPage:
    """A page with a text. refresh: content of its refresh, such as `2` or `0; url=...`."""
    return _page(status, "message.html", title, css, text=text, refresh=refresh, link=link)


def ending(end: Ending, css: str = "") -> RenderedPage:
    """The page after the last submission. To another address by a refresh: a redirect would be bound by
    `form-action`."""
    if end.redirect:
        return message("Thank you", "You are being sent on to:", refresh=f"0; url={end.redirect}", link=end.redirect)
    return message(end.title or "Thank you", end.text, css=css)


def wait_a_moment(seconds: int) -> RenderedPage:
    return message("One moment", "The next page is being prepared.", refresh=str(seconds))


def problem(status: int, text: str) -> RenderedPage:
    return message("That did not work", text, status=status)


def _page(status: int, template: str, title: str, css: str, **values: object) -> RenderedPage:
    # A style sheet ends at "</", wherever that stands.
    style = (_style() + css).replace("<", "\\3c ")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data: https:; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    given = {"refresh": "", **values}
    body = _environment().get_template(template).render(title=title, style=Markup(style), **given)  # noqa: S704 - see above
    return RenderedPage(status, body, {"Content-Security-Policy": policy})
