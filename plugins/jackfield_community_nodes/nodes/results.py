"""Items that a package gave, made into items of the daemon's: nothing in them is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import BinaryData, Item, Items, Outputs, PairedItem
from jackfield_community_nodes.nodes.serving import RunServing

_TURN: Final = 1000
"""Items after which the event loop does other work."""
_OWN_KEYS = frozenset({"fileName", "mimeType"})


async def outputs_of(given: object, serving: RunServing, indexes: Sequence[int]) -> Outputs:
    """given: what `main.js` says; indexes: of the run's items that the package saw. Raises `NodeError`."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise NodeError("The node gave no list of outputs.")
    return [await _items(items, serving, indexes) for items in given]


async def _items(given: object, serving: RunServing, indexes: Sequence[int]) -> Items:
    """Other work of the event loop has its turn between them: a package may give millions."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise NodeError("The node gave an output that is no list of items.")
    made: Items = []
    for number, one in enumerate(given):
        if number % _TURN == 0:
            await asyncio.sleep(0)
        if isinstance(one, dict):
            made.append(await _item(one, serving, indexes))
    return made


async def _item(given: Mapping[str, Any], serving: RunServing, indexes: Sequence[int]) -> Item:
    json = given.get("json")
    made: Item = {"json": json if isinstance(json, dict) else {"data": cast("Json", json)}}
    if files := await _files(given.get("binary"), serving):
        made["binary"] = files
    pairing = _pairing(given.get("pairedItem"), indexes)
    if pairing is not None:
        made["pairedItem"] = pairing
    if isinstance(given.get("error"), dict):
        made["error"] = given["error"]
    return made


async def _files(given: object, serving: RunServing) -> dict[str, BinaryData]:
    found: dict[str, BinaryData] = {}
    for name, file in given.items() if isinstance(given, dict) else ():
        if not isinstance(file, dict):
            continue
        if file.get("id") is None or _is_another(file, serving.known(file["id"])):
            found[name] = await serving.kept(file.get("data"), file.get("mimeType"), file.get("fileName"))
            continue
        renamed = {key: value for key, value in file.items() if key in _OWN_KEYS and isinstance(value, str)}
        found[name] = cast("BinaryData", {**serving.known(file["id"]), **renamed})
    return found


def _is_another(given: Mapping[str, Any], known: BinaryData) -> bool:
    """Whether the package has put other content into a file that it was given."""
    data = given.get("data")
    return isinstance(data, str) and data not in ("", known["data"])


def _pairing(given: object, indexes: Sequence[int]) -> PairedItem | list[PairedItem] | None:
    if isinstance(given, list):
        found = [one for one in (_pair(row, indexes) for row in given) if one is not None]
        return found or None
    return _pair(given, indexes)


def _pair(given: object, indexes: Sequence[int]) -> PairedItem | None:
    row = given if isinstance(given, dict) else {"item": given}
    item, source = row.get("item"), row.get("input", 0)
    if not isinstance(item, int) or isinstance(item, bool) or item < 0:
        return None
    if isinstance(source, int) and source > 0:
        return {"item": item, "input": source}
    return {"item": indexes[item]} if item < len(indexes) else None


def paired(outputs: Outputs, count: int) -> Outputs:
    """As n8n does: without pairing, the items of a node that saw one item come from it. As many as it saw come one by
    one."""
    for items in outputs:
        if any("pairedItem" in item for item in items):
            continue
        if count == 1:
            _pair_all(items, [0] * len(items))
        elif len(items) == count:
            _pair_all(items, range(count))
    return outputs


def _pair_all(items: Items, origins: Sequence[int]) -> None:
    for item, origin in zip(items, origins, strict=True):
        item["pairedItem"] = {"item": origin}
