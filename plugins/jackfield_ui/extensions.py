"""Extensions of other plugins: their files, and a list of them."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import orjson

from jackfield.api.browser import BROWSER_EXTENSIONS, BrowserExtension
from jackfield.api.context import PluginContext
from jackfield_ui.files import StaticFile, listed

FOLDER = "extensions/"
LIST = "extensions.json"
MARKED = re.compile(r"([^/]+)/(@[0-9a-f]{16})/(.+)")


class BrowserExtensions:
    """Read when a browser asks first, on a thread: then all plugins have said what they bring."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._lock = threading.Lock()

    def listing(self) -> bytes:
        """As JSON: `name`, `module` (its address; null without one), `files` and `pages` of each."""
        files = self._files
        return orjson.dumps([_shown(one, files, self._marks[one.name]) for one in self._given.values()])

    def find(self, name: str) -> StaticFile | None:
        """name: relative to `extensions/`, with the mark of the extension's content or without it."""
        files = self._files
        if marked := MARKED.fullmatch(name):
            extension, mark, rest = marked.groups()
            return files.get(f"{extension}/{rest}") if self._marks.get(extension) == mark else None
        return files.get(name)

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

    @cached_property
    def _marks(self) -> Mapping[str, str]:
        """Extension -> the mark in its files' addresses: another one for every other content, so that browsers may keep
        them. That also holds for those that a module imports by its own relative address.
        """
        return {name: _mark(extension.files) for name, extension in self._given.items()}


def _mark(folder: Path) -> str:
    digest = hashlib.sha256()
    for name, file in sorted(listed(folder).items()):
        content = file.read("")
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return f"@{digest.hexdigest()[:16]}"


def _shown(extension: BrowserExtension, files: Mapping[str, StaticFile], mark: str) -> dict[str, object]:
    base = f"/ui/{FOLDER}{extension.name}/{mark}/"
    has_module = bool(extension.module) and f"{extension.name}/{extension.module}" in files
    pages = [
        {
            "name": page.name,
            "label": page.label,
            "group": page.group,
            "icon": f"{base}{page.icon}.svg" if page.icon else None,
        }
        for page in extension.pages
    ]
    return {
        "name": extension.name,
        "module": f"{base}{extension.module}" if has_module else None,
        "files": base,
        "pages": pages if has_module else [],
    }
