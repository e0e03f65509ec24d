"""Kilns in workflows and in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.api.plugin import Plugin, hookimpl, later

if TYPE_CHECKING:
    from jackfield.api.browser import BrowserExtension


class KilnsPlugin(Plugin):
    """Gives the node `kiln`, its icon, the control of its heat, and a page."""

    name = "kilns"

    jackfield_nodes = later("jackfield_kilns.node:nodes")

    @hookimpl
    def jackfield_browser_extensions(self) -> Sequence[BrowserExtension]:
        from jackfield.api.browser import BrowserExtension, BrowserPage

        files = Path(__file__).parent / "browser"
        return [BrowserExtension("kilns", files, "kilns.js", [BrowserPage("overview", "Kilns", "Automation")])]
