"""The built files. Only names that were found in the folder are served, so that no spelling of a path leads out of it.
All of it blocks; let a thread do it."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from jackfield.api.records import record
from jackfield_ui.encodings import SUFFIXES

PAGE = "index.html"
TYPES: Mapping[str, bytes] = {
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".ico": b"image/x-icon",
    ".js": b"text/javascript; charset=utf-8",
    ".mjs": b"text/javascript; charset=utf-8",
    ".json": b"application/json",
    ".png": b"image/png",
    ".svg": b"image/svg+xml",
    ".txt": b"text/plain; charset=utf-8",
    ".wasm": b"application/wasm",
    ".webmanifest": b"application/manifest+json",
    ".woff2": b"font/woff2",
}


@record
class StaticFile:
    """name: relative to the folder, with slashes; encodings: encoding -> file beside it; version: changes with it."""

    name: str
    path: Path
    version: str
    encodings: Mapping[str, Path] = field(default_factory=dict)

    @property
    def content_type(self) -> bytes:
        return TYPES.get(self.path.suffix, b"application/octet-stream")

    def tag(self, encoding: str) -> bytes:
        """Entity tag of this representation."""
        return f'"{self.version}{"-" + encoding if encoding else ""}"'.encode()

    def read(self, encoding: str) -> bytes:
        """Raises FileNotFoundError."""
        return (self.encodings[encoding] if encoding else self.path).read_bytes()


class StaticFiles:
    """A folder; looked through again when its page is another one, as after a build beside a running daemon."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._seen: int | None = -1
        """When the page was written, at the last look; None: there was none."""
        self._files: Mapping[str, StaticFile] = {}
        self._page: bytes | None = None

    def find(self, name: str) -> StaticFile | None:
        """The file of this name. The page is none of them: it has its own headers."""
        self._look()
        return self._files.get(name)

    def page(self) -> bytes | None:
        """None: the interface was not built."""
        self._look()
        return self._page

    def _look(self) -> None:
        with self._lock:
            try:
                written = (self._folder / PAGE).stat().st_mtime_ns
            except OSError:
                written = None
            if written != self._seen:
                self._files = listed(self._folder)
                self._page = (self._folder / PAGE).read_bytes() if written is not None else None
                self._seen = written


def listed(folder: Path) -> dict[str, StaticFile]:
    """Every plain file below, but the page and the compressed ones, which belong to theirs."""
    paths = {
        path.relative_to(folder).as_posix(): path
        for directory, _, names in os.walk(folder)
        for path in (Path(directory, name) for name in names)
        if path.is_file() and not path.is_symlink()
    }
    found = {}
    for name, path in paths.items():
        if name == PAGE or any(
            name.removesuffix(suffix) in paths for suffix in SUFFIXES.values() if name.endswith(suffix)
        ):
            continue
        status = path.stat()
        beside = {encoding: paths[name + suffix] for encoding, suffix in SUFFIXES.items() if name + suffix in paths}
        found[name] = StaticFile(name, path, f"{status.st_mtime_ns:x}-{status.st_size:x}", beside)
    return found
