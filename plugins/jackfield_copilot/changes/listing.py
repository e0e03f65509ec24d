"""The changes of a draft: what it has otherwise than its base, and the workflow does not have yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias, cast

from jackfield.api.json_values import Json
from jackfield.api.records import record
from jackfield_copilot.changes.units import Document, Place, Units, WireUnit, units_of

How: TypeAlias = Literal["added", "changed", "removed", "renamed", "moved"]
MOST_PARTS = 200
MOST_BESIDE = 200
_DEEPEST = 40


@record
class Compared:
    """The three documents of a draft, taken apart. current: the workflow as it is now."""

    base: Units
    draft: Units
    current: Units


@record
class NodeChange:
    key: str
    how: How
    conflict: bool


@record
class WireChange:
    wire: WireUnit
    added: bool


@record
class SettingChange:
    path: str
    how: How
    conflict: bool


@record
class DraftChanges:
    """Those that are open, by their ids."""

    nodes: Mapping[str, NodeChange]
    wires: Mapping[str, WireChange]
    settings: Mapping[str, SettingChange]

    @property
    def ids(self) -> list[str]:
        return [*self.nodes, *self.wires, *self.settings]

    @property
    def conflicts(self) -> list[str]:
        both: list[tuple[str, NodeChange | SettingChange]] = [*self.nodes.items(), *self.settings.items()]
        return [ident for ident, change in both if change.conflict]


def compared(base: Document, draft: Document, current: Document) -> Compared:
    return Compared(units_of(base), units_of(draft), units_of(current))


def changes_of(three: Compared) -> DraftChanges:
    base, draft, current = three.base, three.draft, three.current
    nodes = {
        f"node:{key}": NodeChange(key, _how(current.nodes.get(key), draft.nodes.get(key)), conflict)
        for key, conflict in _open(base.nodes, draft.nodes, current.nodes)
    }
    either = {**draft.wires, **current.wires}
    wires = {
        ident: WireChange(either[ident], ident in draft.wires)
        for ident, _ in _open(base.wires, draft.wires, current.wires)
    }
    settings = {
        f"setting:{path}": SettingChange(path, _how_value(current.settings, draft.settings, path), conflict)
        for path, conflict in _open(base.settings, draft.settings, current.settings)
    }
    return DraftChanges(nodes, wires, settings)


def _open(
    base: Mapping[str, Any], draft: Mapping[str, Any], current: Mapping[str, Any]
) -> Iterator[tuple[str, bool]]:  # JSON
    """Keys whose value the draft has changed and the workflow does not have, and whether the workflow has changed it,
    too."""
    for key in {**draft, **base}:
        before, after, now = (units.get(key, _NOTHING) for units in (base, draft, current))
        if not same(before, after) and not same(after, now):
            yield key, not same(before, now)


_NOTHING = object()


def same(one: Any, other: Any) -> bool:  # JSON
    """JSON equality: 1 is not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _how(before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> How:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    if before.get("name") != after.get("name"):
        return "renamed"
    changed = {key for key in {**before, **after} if not same(before.get(key), after.get(key))}
    return "moved" if changed == {"position"} else "changed"


def _how_value(before: Mapping[str, Json], after: Mapping[str, Json], path: str) -> How:
    return "added" if path not in before else "removed" if path not in after else "changed"


def parts_of(before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> list[dict[str, Json]]:
    """The differences of a node that is in both."""
    found: list[dict[str, Json]] = []
    if before is not None and after is not None:
        _compare("", before, after, found, 0)
    return found


def _compare(path: str, before: Any, after: Any, found: list[dict[str, Json]], level: int) -> None:  # JSON
    if same(before, after) or len(found) >= MOST_PARTS:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping) and level < _DEEPEST:
        for key in {**before, **after}:
            _compare(f"{path}.{key}" if path else key, before.get(key), after.get(key), found, level + 1)
        return
    found.append({"path": path, "before": before, "after": after})


class WiresAlong:
    """Which wires go with a node's change."""

    def __init__(self, changes: DraftChanges) -> None:
        self._at: defaultdict[str, list[WireChange]] = defaultdict(list)
        self._in_place: defaultdict[tuple[Place, bool], list[WireChange]] = defaultdict(list)
        for one in changes.wires.values():
            for key in {one.wire.source: None, one.wire.target: None}:
                self._at[key].append(one)
            for place in one.wire.places:
                self._in_place[place, one.added].append(one)

    def of(self, key: str) -> list[str]:
        """Ids of those at the node, and of the first `MOST_BESIDE` that they replace."""
        at = self._at.get(key, ())
        ids = {one.wire.id: None for one in at}
        places = dict.fromkeys((place, not one.added) for one in at for place in one.wire.places)
        beside = (one.wire.id for each in places for one in self._in_place.get(each, ()) if one.wire.id not in ids)
        return [*ids, *dict.fromkeys(islice(beside, MOST_BESIDE))]


def needs(changes: DraftChanges, three: Compared, change: WireChange) -> Sequence[str]:
    """Ids of nodes without which an added wire cannot be there."""
    ends = dict.fromkeys((change.wire.source, change.wire.target)) if change.added else {}
    return [f"node:{key}" for key in ends if key not in three.current.nodes and f"node:{key}" in changes.nodes]


def shown_changes(three: Compared) -> list[dict[str, Json]]:
    """As docs/copilot.md has them."""
    changes = changes_of(three)
    wires = WiresAlong(changes)
    return [
        *(_node(wires, three, ident, one) for ident, one in changes.nodes.items()),
        *(_wire(changes, three, ident, one) for ident, one in changes.wires.items()),
        *(_setting(three, ident, one) for ident, one in changes.settings.items()),
    ]


def _node(wires: WiresAlong, three: Compared, ident: str, change: NodeChange) -> dict[str, Json]:
    base, draft, current = (units.nodes.get(change.key) for units in (three.base, three.draft, three.current))
    name = str((draft or current or base or {}).get("name"))
    former = (current or base or {}).get("name")
    return {
        "id": ident,
        "kind": "node",
        "how": change.how,
        "label": name,
        "conflict": change.conflict,
        "name": name,
        "formerName": former if former != name else None,
        "before": cast("Json", base),
        "after": cast("Json", draft),
        "current": cast("Json", current),
        "parts": cast("Json", parts_of(current or base, draft)),
        "wires": cast("Json", wires.of(change.key)),
    }


def _wire(changes: DraftChanges, three: Compared, ident: str, change: WireChange) -> dict[str, Json]:
    wire, units = change.wire, three.draft if change.added else three.current
    source, target = units.name(wire.source), units.name(wire.target)
    return {
        "id": ident,
        "kind": "wire",
        "how": "added" if change.added else "removed",
        "label": f"{source}[{wire.output}] -> {target}[{wire.input}]",
        "conflict": False,
        "source": source,
        "output": wire.output,
        "target": target,
        "input": wire.input,
        "type": wire.kind,
        "needs": cast("Json", needs(changes, three, change)),
    }


def _setting(three: Compared, ident: str, change: SettingChange) -> dict[str, Json]:
    before, after, current = (units.settings.get(change.path) for units in (three.base, three.draft, three.current))
    return {
        "id": ident,
        "kind": "setting",
        "how": change.how,
        "label": change.path,
        "conflict": change.conflict,
        "path": change.path,
        "before": before,
        "after": after,
        "current": current,
    }
