"""Looking at a configuration directory: the store's data, and files that are named by their content."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.store_copies import StoreCopies

_SHA = re.compile(r"[0-9a-f]{64}", re.ASCII)


async def verify_directory(context: PluginContext) -> list[str]:
    """The faults, a sentence each."""
    store = context.store
    problems: Sequence[str] = await store.damage() if isinstance(store, StoreCopies) else ()
    return [*problems, *await asyncio.to_thread(_damaged_files, context.service.config_dir / "binary" / "content")]


def _noted(content: Path, name: str) -> str:
    """The digest of a file: its name, unless it came under another one from a bucket."""
    try:
        return (content.parent / "digests" / name[:2] / name).read_text()
    except OSError:
        return name


def _damaged_files(directory: Path) -> list[str]:
    found = []
    for path in sorted(directory.rglob("*")):
        if _SHA.fullmatch(path.name) and path.is_file():
            try:
                with path.open("rb") as file:
                    good = hashlib.file_digest(file, "sha256").hexdigest() == _noted(directory, path.name)
            except FileNotFoundError:
                continue
            except OSError as exc:
                found.append(f"{path} cannot be read ({exc.strerror}); restore it from a backup.")
                continue
            if not good:
                found.append(f"{path} is damaged: its content is not the one that it is named by; restore it.")
    return found
