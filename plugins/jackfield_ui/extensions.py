"""What other plugins bring to the interface: their files, and a list of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property

import orjson

from jackfield.api.browser import BROWSER_EXTENSIONS, BrowserExtension
from jackfield.api.context import PluginContext
from jackfield_ui.files import StaticFile, listed

FOLDER = "extensions/"
LIST = "extensions.json"


class BrowserExtensions:
    """Read when a browser asks first, on a thread: then all plugins have said what they bring."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._lock = threading.Lock()

    def listing(self) -> bytes:
        """As JSON: `name`, `module` (its address; null without one) and `pages` of each."""
        return orjson.dumps([_shown(one, self._files) for one in self._given.values()])

    def find(self, name: str) -> StaticFile | None:
        """name: relative to `extensions/`."""
        return self._files.get(name)

    @cached_property
    def _given(self) -> Mapping[str, BrowserExtension]:
        return self._context.extensions(BROWSER_EXTENSIONS)

    @property
    def _files(self) -> Mapping[str, StaticFile]:
        with self._lock:
            return self._found

    @cached_property
    def _found(self) -> Mapping[str, StaticFile]:
        return {
            f"{extension.name}/{name}": file
            for extension in self._given.values()
            for name, file in listed(extension.files).items()
        }


def _shown(extension: BrowserExtension, files: Mapping[str, StaticFile]) -> dict[str, object]:
    file = files.get(f"{extension.name}/{extension.module}") if extension.module else None
    # The version makes another address of another module: browsers keep a module for as long as a page lives.
    address = f"/ui/{FOLDER}{extension.name}/{extension.module}?v={file.version}" if file else None
    pages = [{"name": page.name, "label": page.label, "group": page.group} for page in extension.pages]
    return {"name": extension.name, "module": address, "pages": pages if address else []}
