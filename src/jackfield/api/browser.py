"""What plugins bring to the browser interface: pages in its navigation, icons of nodes, controls of forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from .extensions import ExtensionPoint
from .records import record

NAME = re.compile(r"^[a-z0-9]+(?:-[a-z0-9]+)*$")


@record
class BrowserPage:
    """A page in the navigation. name: as the module has it in `pages`, and the end of its address; label: what the
    navigation says; group: the part of the navigation it stands in."""

    name: str
    label: str
    group: Literal["Automation", "Agents", "System"] = "System"


@record
class BrowserExtension:
    """name: of the extension, such as the plugin's: lower-case letters, digits and hyphens. files: a folder of the
    package, all of which anybody may read: it is served below `/ui/extensions/{name}/`. It holds the module, and an
    icon as `{icon}.svg`, which a node type has by `icon="{name}/{icon}"`. module: an ES module, whose default export
    has `pages` and `controls`; empty: there are icons alone."""

    name: str
    files: Path
    module: str = ""
    pages: Sequence[BrowserPage] = ()


def _mistakes(extension: BrowserExtension) -> Iterable[str]:
    if not NAME.match(extension.name):
        yield f"its browser extension {extension.name!r} is named with more than lower-case letters, digits, hyphens"
    if extension.pages and not extension.module:
        yield f"its browser extension {extension.name!r} has pages and no module"
    for page in extension.pages:
        if not NAME.match(page.name):
            yield f"its page {page.name!r} is named with more than lower-case letters, digits, hyphens"


BROWSER_EXTENSIONS = ExtensionPoint("jackfield_browser_extensions", BrowserExtension, check=_mistakes)
