"""One stored profile: its text, read without trusting it, and written so that keys unknown here survive."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from typing import get_args

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.process_containers import ProcessLimits
from jackfield.api.profiles import Profile, Sandbox
from jackfield.api.records import record

LARGEST = 2**20
"""Bytes of one file."""
SUFFIX = ".json"
_SANDBOXES = get_args(Sandbox)

Document = dict[str, Json]
Stamp = tuple[int, int, int]
"""The parts that change when a file does. The inode tells a replaced file of the same age and size."""


class Damaged(ValueError):
    """The file is there and is no profile; the message says why, and quotes nothing."""


@record
class FileRead:
    """A file's content and the stamp that belongs to it."""

    content: bytes
    stamp: Stamp


def stamp_of(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_ino, found.st_size


def read(path: str) -> FileRead | None:
    """None: there is no file. Links are not followed, and what is no plain file is not waited for. path: as text, since
    thousands are read at once. Raises `Damaged`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as exc:
        reason = "it is a symbolic link, which is not followed" if os.path.islink(path) else exc.strerror  # noqa: PTH114 - a text
        raise Damaged(reason) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Damaged("it is no plain file")
        if found.st_size > LARGEST:
            raise Damaged(f"it is larger than {LARGEST} bytes")
        return FileRead(_whole(descriptor, found.st_size), stamp_of(found))
    except OSError as exc:
        raise Damaged(exc.strerror) from None
    finally:
        os.close(descriptor)


def _whole(descriptor: int, size: int) -> bytes:
    content = os.read(descriptor, size)
    while len(content) < size and (part := os.read(descriptor, size - len(content))):
        content += part
    return content


def parsed(content: bytes) -> Profile:
    """The profile in a file's content. Raises `Damaged`."""
    try:
        found = jsontext.loads(content)
    except InvalidInput as exc:
        raise Damaged(next(iter((exc.details or {}).values()), exc.message)) from None
    if not isinstance(found, dict):
        raise Damaged("it must be an object")
    metadata = _mapping(found, "metadata")
    home = metadata.get("profile_home")
    if not isinstance(home, str) or not home.startswith("/") or "\0" in home:
        raise Damaged("metadata.profile_home must be the whole path of the profile's home")
    return Profile(
        alias=_text(found, "alias"),
        agent_id=_text(found, "agent_id"),
        provider_id=_text(found, "provider_id"),
        endpoint_id=_text(found, "endpoint_id"),
        model=_text(found, "model"),
        env=environment(found.get("env")),
        args=arguments(found.get("args")),
        working_dir=_directory(found.get("working_dir")),
        sandbox=_sandbox(metadata.get("sandbox")),
        limits=_limits(metadata.get("limits")),
        metadata=metadata,
    )


def own(content: bytes, alias: str) -> Profile:
    """The profile of this alias in its file's content. Raises `Damaged`."""
    found = parsed(content)
    if found.alias != alias:
        raise Damaged("alias is another than the file's name")
    return found


def document(content: bytes) -> Document:
    """The same content to change it. Python's own reader keeps integers of any length."""
    found: Document = json.loads(content)
    return found


def text(document: Mapping[str, Json]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def environment(value: Json) -> Mapping[str, str]:
    """Variables that a program can be given. Raises `Damaged`."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Damaged("env must be an object of texts")
    for name, content in value.items():
        if not name or "=" in name or "\0" in name:
            raise Damaged("env: a name must not be empty and have no = and no NUL")
        if not isinstance(content, str) or "\0" in content:
            raise Damaged(f"env.{name} must be a text without NUL")
    return value  # type: ignore[return-value]  # every value was seen to be a text


def arguments(value: Json) -> tuple[str, ...]:
    """Raises `Damaged`."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) and "\0" not in each for each in value):
        raise Damaged("args must be an array of texts without NUL")
    return tuple(value)  # type: ignore[arg-type]  # every item was seen to be a text


def _text(found: Mapping[str, Json], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value or "\0" in value:
        raise Damaged(f"{name} must be a text")
    return value


def _mapping(found: Mapping[str, Json], name: str) -> Document:
    value = found.get(name)
    if not isinstance(value, dict):
        raise Damaged(f"{name} must be an object")
    return value


def _directory(value: Json) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or "\0" in value:
        raise Damaged("working_dir must be a text or null")
    return value or None


def _limits(value: Json) -> ProcessLimits:
    if value is None:
        return ProcessLimits()
    if not isinstance(value, dict) or not value.keys() <= {"memory", "processes", "cpu"}:
        raise Damaged("metadata.limits must be an object with memory, processes and cpu alone")
    for name, given in value.items():
        whole = name != "cpu"
        if given is not None and (
            isinstance(given, bool) or not isinstance(given, int if whole else int | float) or given <= 0
        ):
            raise Damaged(f"metadata.limits.{name} must be a positive {'integer' if whole else 'number'} or null")
    return ProcessLimits(**value)  # type: ignore[arg-type]  # every value was seen to be a number


def _sandbox(value: Json) -> Sandbox:
    if value is None:
        return "off"
    if value not in _SANDBOXES:
        raise Damaged(f"metadata.sandbox must be one of {', '.join(_SANDBOXES)}")
    return value  # type: ignore[return-value]  # one of the names
