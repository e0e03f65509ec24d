"""Makes node types of packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeDescription
from jackfield_community_nodes.library import Library
from jackfield_community_nodes.nodes.node import CommunityNode
from jackfield_community_nodes.packages import NodeText
from jackfield_community_nodes.working import is_trigger, missing_of


def made(context: PluginContext, package: str, kind: str) -> CommunityNode:
    """Raises `ConfigurationError`, and KeyError when the package was removed meanwhile."""
    library = context.port(Library)
    installed = library.packages()[package]
    file = next(node.file for node in installed.nodes if node.kind == kind)
    text = next(node for node in library.description(installed).nodes if node.file == file)
    return CommunityNode(context, package, kind, text, described(text, package))


def described(text: NodeText, package: str) -> NodeDescription:
    """As the newest version has it."""
    newest = text.types[-1]
    given = newest.description
    trigger = is_trigger(newest)
    return NodeDescription(
        str(given.get("displayName") or given.get("name")),
        f"{given.get('description') or ''} ({package})".strip()[:500],
        "trigger" if trigger else "network",
        inputs=0 if trigger else _inputs(given.get("inputs")),
        outputs=_outputs(given),
        trigger=trigger,
        credentials=_credentials(given.get("credentials")),
        missing=missing_of(newest),
    )


def _inputs(given: Json) -> int:
    return sum(_type(one) == "main" for one in given) if isinstance(given, list) else 1


def _type(given: Json) -> str:
    return str(given.get("type")) if isinstance(given, dict) else str(given)


def _outputs(given: Mapping[str, Json]) -> Sequence[str]:
    outputs, names = given.get("outputs"), given.get("outputNames")
    count = max(1, len(outputs)) if isinstance(outputs, list) else 1
    if isinstance(names, list) and len(names) == count:
        return [str(name) for name in names]
    return ["main"] if count == 1 else [f"{index}" for index in range(count)]


def _credentials(given: Json) -> Sequence[NodeCredential]:
    return [
        NodeCredential(str(one["name"]), required=one.get("required") is True, when=_when(one.get("displayOptions")))
        for one in (given if isinstance(given, list) else ())
        if isinstance(one, dict) and "name" in one
    ]


def _when(given: Json) -> Mapping[str, Sequence[str]]:
    show = given.get("show") if isinstance(given, dict) else None
    if not isinstance(show, dict):
        return {}
    return {
        name: [str(value) for value in values if isinstance(value, str | bool | int)]
        for name, values in show.items()
        if isinstance(values, list) and not name.startswith("@")
    }
