"""Pages as HTML: escaped by default, no script, one style sheet whose hash the policy names."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.api.records import record
from jackfield_forms.fields import FormField
from jackfield_forms.pages import Ending, Page
from jackfield_forms.sanitize import sanitized
from jackfield_forms.values import Sent

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


@record
class Html:
    """An answer. headers: beside those that every page has."""

    status: int
    body: str
    headers: Mapping[str, str]


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

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


def form(
    page: Page,
    action: str,
    *,
    html_tags: int,
    sent: Sent | None = None,
    query: Mapping[str, str] | None = None,
    mistakes: Mapping[str, str] | None = None,
) -> Html:
    """The form. html_tags: how many one field's HTML may have. sent and mistakes: of a submission that is shown again;
    query: values to begin with."""
    from markupsafe import Markup

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
        html=lambda field: Markup(sanitized(field.html, html_tags)),  # noqa: S704 - what is left of it is safe
    )


def message(title: str, text: str, *, status: int = 200, refresh: str = "", css: str = "", link: str = "") -> Html:
    """A page with a text. refresh: content of its refresh, such as `2` or `0; url=...`."""
    return _page(status, "message.html", title, css, text=text, refresh=refresh, link=link)


def ending(end: Ending, css: str = "") -> Html:
    """What follows the last submission. To another address by a refresh: a redirect would be bound by `form-action`."""
    if end.redirect:
        return message("Thank you", "You are being sent on to:", refresh=f"0; url={end.redirect}", link=end.redirect)
    return message(end.title or "Thank you", end.text, css=css)


def wait_a_moment(seconds: int) -> Html:
    return message("One moment", "The next page is being prepared.", refresh=str(seconds))


def problem(status: int, text: str) -> Html:
    return message("That did not work", text, status=status)


def _page(status: int, template: str, title: str, css: str, **values: object) -> Html:
    from markupsafe import Markup

    # A style sheet ends at "</", wherever that stands.
    style = (_style() + css).replace("<", "\\3c ")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data: https:; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    given = {"refresh": "", **values}
    body = _environment().get_template(template).render(title=title, style=Markup(style), **given)  # noqa: S704 - see above
    return Html(status, body, {"Content-Security-Policy": policy})
