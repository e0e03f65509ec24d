"""Reads descriptions. One file that is not usable is reported, with its key, and the others are used."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import loads
from jackfield.api.records import record
from jackfield_vendors.credentials import kind_of
from jackfield_vendors.described.file import Description
from jackfield_vendors.node import VendorNode
from jackfield_vendors.triggering.poll_node import VendorPollNode
from jackfield_vendors.triggering.subscribe_node import VendorSubscribeNode

LARGEST = 2**20
"""Bytes of one file."""


class Unusable(Exception):
    """A file is no description; the message names file and key."""


@record
class DescriptionLibrary:
    nodes: Sequence[VendorNode]
    kinds: Sequence[CredentialKind]
    problems: Sequence[str]


def load(context: PluginContext, directory: Path) -> DescriptionLibrary:
    """Every description in the directory that is usable; of two of one kind the first file's counts."""
    nodes: dict[str, VendorNode] = {}
    kinds: dict[str, CredentialKind] = {}
    problems = []
    for path in _files(directory):
        try:
            description = read(path)
            made = [_kind(path, index, description) for index in range(len(description.credentials))]
            node = _node(context, path, description)
        except Unusable as exc:
            problems.append(str(exc))
            context.log.error("The description %s is not used. %s", path, exc)
            continue
        for kind in made:
            kinds.setdefault(kind.name, kind)
        if node is not None:
            nodes.setdefault(node.kind, node)
    return DescriptionLibrary(list(nodes.values()), list(kinds.values()), problems)


def kinds_in(directory: Path) -> list[CredentialKind]:
    """The kinds of credentials of every file, without its node, which costs ten times as much. Raises `Unusable`."""
    kinds: dict[str, CredentialKind] = {}
    for path in _files(directory):
        text = path.read_text("utf-8")
        if "credentials]]" not in text:
            continue
        description = Description.model_validate({"credentials": tomllib.loads(text)["credentials"]})
        for index in range(len(description.credentials)):
            kind = _kind(path, index, description)
            kinds.setdefault(kind.name, kind)
    return list(kinds.values())


def node_in(context: PluginContext, path: Path) -> VendorNode:
    """The node of one shipped file, whose shapes stand beside. Raises `Unusable`."""
    found = _node(context, path, read(path), path.parent.with_name("shapes") / f"{path.stem}.json")
    if found is None:
        raise Unusable(f"{path.name}: there is no [node]")
    return found


def _node(
    context: PluginContext, path: Path, description: Description, shapes: Path | None = None
) -> VendorNode | None:
    try:
        return _maker(description).made(context, description, shapes)
    except ValueError as exc:
        raise Unusable(f"{path.name}: {exc}") from None
    except RecursionError:
        raise Unusable(f"{path.name}: it is nested too deeply, or one of its values names itself") from None


def _maker(description: Description) -> type[VendorNode]:
    trigger = description.trigger
    if trigger is None:
        return VendorNode
    return VendorPollNode if trigger.poll else VendorSubscribeNode


def _kind(path: Path, index: int, description: Description) -> CredentialKind:
    try:
        return kind_of(description.credentials[index])
    except ValueError as exc:
        raise Unusable(f"{path.name}: credentials[{index}].{exc}") from None


def read(path: Path) -> Description:
    """Raises `Unusable`."""
    try:
        if path.stat().st_size > LARGEST:
            raise Unusable(f"{path.name}: larger than {LARGEST} bytes")
        text = path.read_text("utf-8")
        raw = loads(text, max_depth=100) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as exc:
        raise Unusable(f"{path.name}: {exc}") from None
    except RecursionError:
        raise Unusable(f"{path.name}: it is nested too deeply") from None
    except InvalidInput as exc:
        raise Unusable(f"{path.name}: {(exc.details or {}).get('body', exc.message)}") from None
    try:
        return Description.model_validate(raw)
    except ValidationError as exc:
        told = [f"{_key(entry['loc'])}: {entry['msg']}" for entry in exc.errors(include_url=False, include_input=False)]
        raise Unusable(f"{path.name}: {'; '.join(told[:5])}") from None


def _key(loc: Sequence[int | str]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "the file"


def _files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.suffix in (".toml", ".json"))
