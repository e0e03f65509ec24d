"""Secrets in files of one directory, as Docker and Kubernetes mount them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.secret_sources import SecretMissing, SecretPlace, SecretSource, SourceUnavailable
from jackfield_secrets.settings import SecretsSettings
from jackfield_secrets.sources.options import FilesOptions


def files_source(context: PluginContext, options: FilesOptions) -> SecretSource:
    return FilesSource(Path(options.directory), context.settings(SecretsSettings).secret_bytes)


class FilesSource:
    """The first name of a path is a file's; others are fields of the JSON object in it. A name may have slashes, and
    leads out of the directory neither by `..` nor by a symbolic link."""

    def __init__(self, directory: Path, longest: int) -> None:
        self._directory = directory
        self._longest = longest

    def place(self, path: Sequence[str]) -> SecretPlace:
        return SecretPlace(tuple(path[:1]), tuple(path[1:]))

    async def read(self, secret: tuple[str, ...]) -> Json:
        return await asyncio.to_thread(self._read, secret[0])

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        return await asyncio.to_thread(self._names, most)

    async def test(self) -> str:
        found = await self.names(1)
        return f"The directory {self._directory} can be read{'' if found else ', and is empty'}."

    def _read(self, name: str) -> str:
        root = self._root()
        try:
            path = (root / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise self._missing(name) from None
        if not path.is_relative_to(root) or not path.is_file():
            raise self._missing(name)
        try:
            with path.open("rb") as file:
                found = file.read(self._longest + 1)
        except OSError as exc:
            raise SourceUnavailable(f"The file of a secret cannot be read: {exc.strerror}.") from None
        if len(found) > self._longest:
            raise SecretMissing(f"A file of a secret has more than {self._longest} bytes; raise secrets.secret_bytes.")
        try:
            return found.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise SecretMissing("The file of a secret is no text in UTF-8.") from None

    def _names(self, most: int) -> list[tuple[str, ...]]:
        """Names that begin with `..` are the mount's own: links of Kubernetes lead through them."""
        root, found = self._root(), list[tuple[str, ...]]()
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith(".."))
            for name in sorted(files):
                if len(found) == most:
                    return found
                if not name.startswith(".."):
                    found.append((Path(folder, name).relative_to(root).as_posix(),))
        return found

    def _root(self) -> Path:
        """Raises `SourceUnavailable`."""
        try:
            found = self._directory.resolve(strict=True)
        except (OSError, RuntimeError):
            raise SourceUnavailable(f"The directory {self._directory} is not there; make it, or mount it.") from None
        if not found.is_dir():
            raise SourceUnavailable(f"{self._directory} is no directory.")
        return found

    def _missing(self, name: str) -> SecretMissing:
        return SecretMissing(f"There is no file {name} in {self._directory}.")
