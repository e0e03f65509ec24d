"""A document with some of a draft's changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.json_values import Json
from jackfield.api.records import record
from jackfield.api.workflow_edits.references import renamed
from jackfield_copilot.changes.listing import Compared, DraftChanges, WireChange, same
from jackfield_copilot.changes.units import Document, Place, Units, WireUnit, document_of, units_of


@record
class Merged:
    """accepted: ids of the changes that are in the document."""

    document: dict[str, Json]
    accepted: Sequence[str]


def chosen_of(changes: DraftChanges, asked: Sequence[str] | None, *, overwrite: bool) -> list[str]:
    """asked: None: all. Raises `InvalidInput` for an id that is none, `Conflict` (code `DRAFT_CONFLICT`) for changes
    that somebody has made otherwise meanwhile, unless they are to be overwritten."""
    ids = changes.ids
    known = set(ids)
    unknown = [ident for ident in asked or () if ident not in known]
    if unknown:
        details = {"changes": f"there is no open change {unknown[0][:200]}; read the draft again"}
        raise InvalidInput("The draft has no such change.", details=details)
    chosen = ids if asked is None else list(dict.fromkeys(asked))
    taken = set(chosen)
    conflicts = [ident for ident in changes.conflicts if ident in taken]
    if conflicts and not overwrite:
        raise Conflict(
            "Somebody has changed the same in the workflow meanwhile; leave these changes out, or overwrite them.",
            code="DRAFT_CONFLICT",
            details=dict.fromkeys(conflicts, "was changed in the workflow, too"),
        )
    return chosen


def merged(into: Document, to: Units, three: Compared, changes: DraftChanges, chosen: Sequence[str]) -> Merged:
    """The document `into`, which is one of the three or like it, with the values that `to` has of the chosen changes.
    Wires go with their nodes. Raises `InvalidInput` that names a wire without its node, or two nodes of one name."""
    now = three.current if to is three.draft else three.draft
    asked = set(chosen)
    keys = dict.fromkeys(change.key for ident, change in changes.nodes.items() if ident in asked)
    nodes, names = _nodes(now, to, keys)
    wires = _wires(now, to, changes, asked, keys, nodes)
    settings = dict(now.settings)
    for ident, change in changes.settings.items():
        if ident in asked:
            settings.pop(change.path, None)
            if change.path in to.settings:
                settings[change.path] = to.settings[change.path]
    made = Units(nodes, {wire.id: wire for wire in wires if _stands(wire, nodes, now)}, settings)
    document = document_of(made, list(nodes), into)
    if names:  # what is taken over has the new names already
        for key, node in zip(nodes, cast("list[dict[str, Json]]", document["nodes"]), strict=True):
            if key not in keys:
                node["parameters"] = _all_renamed(node.get("parameters", {}), names)
    accepted = [
        ident
        for ident in changes.ids
        if (_is_so(changes.wires[ident], made, to) if ident in changes.wires else ident in asked)
    ]
    return Merged(document, accepted)


def _all_renamed(parameters: Json, names: Mapping[str, str]) -> Json:
    """By way of names that no node has: two nodes may have swapped theirs."""
    between = {before: f"\0{index}\0" for index, before in enumerate(names)}
    for before, passing in between.items():
        parameters = renamed(parameters, before, passing)
    for before, passing in between.items():
        parameters = renamed(parameters, passing, names[before])
    return parameters


def _nodes(now: Units, to: Units, keys: Iterable[str]) -> tuple[dict[str, Mapping[str, Json]], dict[str, str]]:
    """Nodes by key, and the former names of those that have others. Raises `InvalidInput`."""
    nodes: dict[str, Mapping[str, Json]] = dict(now.nodes)
    names: dict[str, str] = {}
    for key in keys:
        after = to.nodes.get(key)
        if after is None:
            nodes.pop(key, None)
            continue
        if key in nodes and nodes[key].get("name") != after.get("name"):
            names[str(nodes[key].get("name"))] = str(after.get("name"))
        nodes[key] = after
    seen: set[object] = set()
    for node in nodes.values():
        if node.get("name") in seen:
            name = str(node.get("name"))[:100]
            details = {"changes": f"rename one of the two nodes {name}, or accept the change of the other one, too"}
            raise InvalidInput(f"Two nodes would have the name {name}.", details=details)
        seen.add(node.get("name"))
    return nodes, names


def _wires(
    now: Units,
    to: Units,
    changes: DraftChanges,
    asked: Collection[str],
    keys: Mapping[str, object],
    nodes: Mapping[str, object],
) -> list[WireUnit]:
    """Those of the result. A wire goes when all that replace it come, and each stays that nothing replaces."""
    coming = [one for one in changes.wires.values() if one.wire.id in to.wires]
    going = [one for one in changes.wires.values() if one.wire.id not in to.wires]
    for one in coming:
        missing = [end for end in (one.wire.source, one.wire.target) if end not in nodes]
        if missing and one.wire.id in asked and not one.wire.is_at(keys):
            details = {"changes": f"{one.wire.id[:200]} needs node:{missing[0][:100]}"}
            raise InvalidInput("A wire leads to a node that is not accepted.", details=details)
    gone = {key for key in keys if key not in to.nodes}
    left = [one for one in going if one.wire.is_at(gone)]
    left_free = {place for one in left for place in one.wire.places}
    added = _ids(
        one
        for one in coming
        if one.wire.source in nodes
        and one.wire.target in nodes
        and (one.wire.id in asked or one.wire.is_at(keys) or not left_free.isdisjoint(one.wire.places))
    )
    instead = {place for one in coming for place in one.wire.places}
    awaited = {place for one in coming if one.wire.id not in added for place in one.wire.places}
    removed = _ids(left) | {
        one.wire.id: None
        for one in going
        if one.wire.id in asked or _replaced(one, instead, awaited, at=one.wire.is_at(keys))
    }
    return [*(wire for ident, wire in now.wires.items() if ident not in removed), *(to.wires[ident] for ident in added)]


def _replaced(one: WireChange, instead: Collection[Place], awaited: Collection[Place], *, at: bool) -> bool:
    """Whether a wire goes along: all that come in its place are there, or it is at a chosen node and nothing does.
    `instead`: places at which wires come. `awaited`: those at which one has not come."""
    if any(place in instead for place in one.wire.places):
        return not any(place in awaited for place in one.wire.places)
    return at


def _ids(changes: Iterable[WireChange]) -> dict[str, None]:
    return {one.wire.id: None for one in changes}


def _stands(wire: WireUnit, nodes: Mapping[str, object], now: Units) -> bool:
    """A wire to a removed node goes; one that led nowhere before stays as it was."""
    ends = (wire.source, wire.target)
    return all(end in nodes for end in ends) or not any(end in now.nodes and end not in nodes for end in ends)


def _is_so(change: WireChange, made: Units, to: Units) -> bool:
    return (change.wire.id in made.wires) == (change.wire.id in to.wires)


def settled(document: Document, current: Document, ids: Collection[str]) -> dict[str, Json]:
    """The document with the values that `current` has of these nodes and settings."""
    mine, now = units_of(document), units_of(current)
    nodes = {key: now.nodes.get(key, node) if f"node:{key}" in ids else node for key, node in mine.nodes.items()}
    settings = {
        path: now.settings.get(path, value) if f"setting:{path}" in ids else value
        for path, value in mine.settings.items()
    }
    return document_of(Units(nodes, mine.wires, settings), list(nodes), document)


def unchanged(before: Document, after: Document, ids: Collection[str]) -> frozenset[str]:
    """Those of these changes of nodes and settings whose values are the same in both documents."""
    one, other = units_of(before), units_of(after)
    return frozenset(
        ident
        for ident in ids
        if same(one.nodes.get(ident.removeprefix("node:")), other.nodes.get(ident.removeprefix("node:")))
        and same(one.settings.get(ident.removeprefix("setting:")), other.settings.get(ident.removeprefix("setting:")))
    )
