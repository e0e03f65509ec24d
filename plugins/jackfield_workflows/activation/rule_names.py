"""Names in `[node_types]` that no node type has: misspelt, or of a plugin that is not installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.nodes import TOOL_FORM, NodeCatalog
from jackfield.api.similar_names import did_you_mean
from jackfield.api.workflows import local_type
from jackfield_workflows.settings import NodeTypesSettings

_MOST = 20
"""Names that the log and `doctor` tell."""


def unknown_names(settings: NodeTypesSettings, kinds: Sequence[str]) -> Iterator[str]:
    """A sentence for each. kinds: of the node types that are installed."""
    lists = [("node_types.exclude", settings.exclude), ("node_types.allow", settings.allow)]
    for number, rule in enumerate(settings.rules):
        place = f"node_types.rules[{number}]"
        lists += [(f"{place}.exclude", rule.exclude), (f"{place}.allow", rule.allow)]
    for place, names in lists:
        for name in names:
            wanted = local_type(name).removesuffix(TOOL_FORM)
            if not any(fnmatchcase(kind, pattern) for kind in kinds for pattern in (wanted, local_type(name))):
                near = did_you_mean(wanted, kinds)
                yield f"{place} names {name[:100]}, and no installed node type has that name{near}"


def _told(context: PluginContext) -> list[str]:
    settings = context.settings(NodeTypesSettings)
    if not settings.in_use:
        return []
    kinds = [outline.kind for outline in context.port(NodeCatalog).outlines()]
    found = list(unknown_names(settings, kinds))
    more = [f"[node_types] has {len(found) - _MOST} more such names."] if len(found) > _MOST else []
    return [*found[:_MOST], *more]


def warn(context: PluginContext) -> None:
    """In the log, at the start."""
    for sentence in _told(context):
        context.log.warning("%s", sentence)


def findings(context: PluginContext) -> Sequence[Finding]:
    """A plugin that is not installed may have such a type, so that none is a failure."""
    return [Finding("node_types", True, sentence) for sentence in _told(context)]
