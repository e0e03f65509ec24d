"""The content of a page: the form of a node, and what follows its submission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from jackfield.api.form_fields import FormField, plain, read_fields
from jackfield.api.jsontext import Json
from jackfield.api.records import record

SUBMITTED = "Your response has been recorded"


@record
class Ending:
    """The answer that is shown once a form was submitted: a text, or another address (http or https)."""

    title: str = ""
    text: str = SUBMITTED
    redirect: str = ""


@record
class FormPage:
    """A form as a page."""

    title: str
    description: str
    button: str
    fields: Sequence[FormField]
    css: str
    mode: str
    """onReceived, lastNode or responseNode"""
    ending: Ending


def options_of(parameters: Mapping[str, Json]) -> Mapping[str, Json]:
    found = parameters.get("options")
    return found if isinstance(found, dict) else {}


def read_page(parameters: Mapping[str, Json], inherited: Mapping[str, Json] | None = None) -> FormPage:
    """The page of a formTrigger, form or wait node. `inherited`: parameters of the form's first page, whose title and
    description hold for pages without their own. Raises ValueError with what is wrong."""
    options = options_of(parameters)
    first = inherited or {}
    return FormPage(
        title=plain(options.get("formTitle")) or plain(parameters.get("formTitle")) or plain(first.get("formTitle")),
        description=plain(options.get("formDescription")) or plain(parameters.get("formDescription")),
        button=plain(options.get("buttonLabel")) or "Submit",
        fields=read_fields(parameters),
        css=plain(options.get("customCss")),
        mode=plain(parameters.get("responseMode")) or "onReceived",
        ending=_ending(parameters, options),
    )


def _ending(parameters: Mapping[str, Json], options: Mapping[str, Json]) -> Ending:
    nested = options.get("respondWithOptions")
    values = nested.get("values") if isinstance(nested, dict) else None
    source = values if isinstance(values, dict) else options
    address = plain(source.get("redirectUrl"))
    if source.get("respondWith") == "redirect" and is_web_address(address):
        return Ending(redirect=address)
    text = plain(source.get("formSubmittedText")) or plain(parameters.get("formSubmittedText"))
    return Ending(text=text or SUBMITTED)


def read_completion(parameters: Mapping[str, Json]) -> Ending:
    """The last page, of a form node with operation `completion`."""
    address = plain(parameters.get("redirectUrl"))
    if parameters.get("respondWith") == "redirect" and is_web_address(address):
        return Ending(redirect=address)
    text = plain(parameters.get("completionMessage")) or plain(parameters.get("responseText"))
    return Ending(plain(parameters.get("completionTitle")), text)


def is_web_address(text: str) -> bool:
    """Whether a browser may be sent there: no script, no file, no line break."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and text.isprintable()
