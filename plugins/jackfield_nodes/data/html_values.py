"""The values to take out of an HTML document, and how to clean it."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import record


@record
class HtmlWanted:
    """One value to extract. returns: attribute, html, text or value."""

    selector: str
    returns: str
    attribute: str
    many: bool
    skip: Sequence[str] = ()


@record
class HtmlCleaning:
    """`trim`: no blanks at the ends. `clean_up`: no line breaks and no repeated blanks. `layout`: text with breaks
    between blocks and addresses behind links, and of several elements the first alone (version 1.2). `empty`: empty
    text stays.
    """

    trim: bool
    clean_up: bool
    layout: bool
    empty: bool = False
