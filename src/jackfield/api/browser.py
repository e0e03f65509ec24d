"""Extensions of the browser interface: pages in its navigation, icons of nodes, controls of forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from .extensions import ExtensionPoint
from .records import record

_ACTIVE = frozenset({"script", "foreignobject", "iframe", "embed", "object", "audio", "video", "handler", "listener"})
_LOADS = re.compile(r"@import|image-set\(|url\((?!['\"]?#)|javascript:|expression\(", re.IGNORECASE)
_SPACE = re.compile(r"[\s\x00]+")
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@record
class BrowserPage:
    """A page in the navigation.

    `name`: as the module has it in `pages`, and the end of its address. `label`: the words of the navigation. `group`:
    the part of the navigation it stands in. `Settings`: it is a section of the settings. `icon`: the file `{icon}.svg`
    beside the label. Only its shape counts. Empty: a piece of a puzzle.
    """

    name: str
    label: str
    group: Literal["Automation", "Agents", "System", "Settings"] = "System"
    icon: str = ""


@record
class BrowserExtension:
    """An extension of the browser interface.

    name: such as the plugin's. It has lower-case letters, digits and hyphens.
    files: a folder of the package. Anybody may read all of it below `/ui/extensions/{name}/`. A node type has the file
    `{icon}.svg` by `icon="{name}/{icon}"`. A picture that could run a script or load something keeps the extension out.
    module: the file of an ES module. `browser.d.ts` beside this file has the types of its default export. Empty: there
    are icons alone."""

    name: str
    files: Path
    module: str = ""
    pages: Sequence[BrowserPage] = ()


def _mistakes(extension: BrowserExtension) -> Iterable[str]:
    if not NAME.fullmatch(extension.name):
        yield f"its browser extension {extension.name!r} is named with more than lower-case letters, digits, hyphens"
    if not extension.files.is_absolute() or not extension.files.is_dir():
        yield f"its browser extension {extension.name!r} has no absolute directory as its files: {extension.files}"
        return
    if extension.pages and not extension.module:
        yield f"its browser extension {extension.name!r} has pages and no module"
    for page in extension.pages:
        if not NAME.fullmatch(page.name):
            yield f"its page {page.name!r} is named with more than lower-case letters, digits, hyphens"
        if page.icon and not (extension.files / f"{page.icon}.svg").is_file():
            yield f"its page {page.name!r} has the icon {page.icon!r}, and there is no {page.icon}.svg"
    if extension.module and not (extension.files / extension.module).is_file():
        yield f"its browser extension {extension.name!r} has no file {extension.module}"
    yield from _active_pictures(extension.files)


def _active_pictures(files: Path) -> Iterable[str]:
    for path in sorted(files.rglob("*.svg")):
        if (problem := svg_problem(path.read_bytes())) is not None:
            yield f"its picture {path.name} {problem}"


def svg_problem(content: bytes) -> str | None:
    """How a picture in SVG does more than show shapes: it runs a script, loads something, or is no SVG. None: it does
    not."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(content, forbid_dtd=True)
    except (DefusedXmlException, ParseError, ValueError, LookupError):  # the last: of an encoding that nobody knows
        return "is no SVG that can be read, or has a DTD"
    if b"<?xml-stylesheet" in content.replace(b"\0", b""):
        return "refers to a style outside of it"
    for element in root.iter():
        kind = str(element.tag).rpartition("}")[2].lower()
        if kind in _ACTIVE:
            return f"has the element <{kind}>"
        for name, value in element.attrib.items():
            attribute, text = name.rpartition("}")[2].lower(), _SPACE.sub("", value).lower()
            if attribute.startswith("on"):
                return f"has the attribute {attribute}"
            if attribute in ("href", "src") and not text.startswith(("#", "data:image/png", "data:image/jpeg")):
                return "refers to something outside of it"
        styles = [*element.attrib.values(), element.text or ""] if kind == "style" else element.attrib.values()
        if any(_LOADS.search(_SPACE.sub("", style)) for style in styles):
            return "loads something by its style"
    return None


BROWSER_EXTENSIONS = ExtensionPoint("jackfield_browser_extensions", BrowserExtension, check=_mistakes)
