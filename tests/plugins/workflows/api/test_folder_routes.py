"""/api/v1/folders, the folder of a workflow, and lists of workflows."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.errors import InvalidInput
from jackfield_workflows.saved.folders import FolderChange, FolderChanges

UNKNOWN = "00000000-0000-4000-8000-000000000000"
DOCUMENT: dict[str, Any] = {"name": "W", "nodes": [], "connections": {}}


async def folder(api: Any, name: str, parent: str | None = None) -> str:
    made = await api.ok("POST", "/folders", {"name": name, "parentId": parent}, 201)
    return str(made["id"])


async def tree(api: Any) -> dict[str, tuple[str | None, int]]:
    rows = (await api.ok("GET", "/folders"))["data"]
    names = {row["id"]: row["name"] for row in rows}
    return {row["name"]: (names.get(row["parentId"]), row["workflowCount"]) for row in rows}


async def listed(api: Any, query: str) -> list[str]:
    return [row["name"] for row in (await api.ok("GET", f"/workflows?{query}"))["data"]]


async def test_a_tree_is_made_changed_and_taken_apart(api: Any) -> None:
    top = await folder(api, " top ")
    inner = await folder(api, "inner", top)
    saved = await api.ok("POST", f"/workflows?folder={inner}", DOCUMENT, 201)
    place = f"/workflows/{saved['id']}/folder"
    assert await api.ok("GET", place) == {"folderId": inner}
    assert await tree(api) == {"top": (None, 0), "inner": ("top", 1)}
    copy = await api.ok("POST", f"/workflows/{saved['id']}/duplicate", status=201)
    await api.ok("PUT", f"/workflows/{copy['id']}/folder", {"folderId": None})
    assert (await listed(api, f"folder={inner}"), await listed(api, "folder=none")) == (["W"], ["W (Copy)"])
    assert (await api.ok("GET", "/workflows?search=w&order=name"))["data"][0]["folderId"] == inner
    assert (await api.ok("PATCH", f"/folders/{inner}", {"name": "moved", "parentId": None}))["parentId"] is None
    assert await tree(api) == {"top": (None, 0), "moved": (None, 1)}
    await api.ok("DELETE", f"/folders/{inner}", status=204)
    assert await api.ok("GET", place) == {"folderId": None}
    assert api.published().count("folders.changed") == 5


async def test_a_folder_is_never_in_itself(api: Any) -> None:
    top = await folder(api, "top")
    inner = await folder(api, "inner", top)
    for parent in (top, inner):
        assert list((await api.refused("PATCH", f"/folders/{top}", {"parentId": parent}))["details"]) == ["parentId"]
    assert await tree(api) == {"top": (None, 0), "inner": ("top", 0)}


async def test_folders_have_a_bounded_depth_also_when_a_tree_is_moved(api: Any) -> None:
    below: str | None = None
    for level in range(8):
        below = await folder(api, f"{level}", below)
    assert list((await api.refused("POST", "/folders", {"name": "deep", "parentId": below}))["details"]) == ["parentId"]
    other = await folder(api, "other")
    await folder(api, "in other", other)
    parents = {row["name"]: row["id"] for row in (await api.ok("GET", "/folders"))["data"]}
    await api.refused("PATCH", f"/folders/{other}", {"parentId": parents["6"]})
    await api.ok("PATCH", f"/folders/{other}", {"parentId": parents["5"]})


async def test_a_folder_that_is_too_deep_by_now_is_still_renamed(api: Any) -> None:
    changes = FolderChanges(api.context)
    changes._deepest = 1
    inner = await folder(api, "inner", await folder(api, "top"))
    assert (await changes.change(inner, FolderChange("named"))).name == "named"
    with pytest.raises(InvalidInput, match="1 deep"):
        await changes.create("deep", inner)


@pytest.mark.parametrize("body", [{}, {"name": " "}, {"name": "a", "parent": None}, {"name": "a", "parentId": 5}])
async def test_wrong_folders_are_refused(api: Any, body: Any) -> None:
    await api.refused("POST", "/folders", body)
    assert await tree(api) == {}


async def test_names_and_places_that_cannot_be(api: Any) -> None:
    await folder(api, "a")
    assert (await api.refused("POST", "/folders", {"name": "A"}, 409))["details"] == {"name": "is taken"}
    await api.refused("POST", "/folders", {"name": "b", "parentId": UNKNOWN}, 404)
    await api.refused("POST", f"/workflows?folder={UNKNOWN}", DOCUMENT, 404)
    await api.refused("GET", f"/workflows/{UNKNOWN}/folder", status=404)
    await api.refused("PUT", f"/workflows/{UNKNOWN}/folder", {"folderId": None}, 404)
    await api.refused("DELETE", f"/folders/{UNKNOWN}", status=404)
    assert await listed(api, f"folder={UNKNOWN}") == []


async def test_workflows_are_searched_by_their_nodes_and_sorted(api: Any) -> None:
    node = {"id": "1", "name": "Call", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4, "parameters": {}}
    await api.save({**DOCUMENT, "name": "b", "nodes": [{**node, "position": [0, 0], "notes": "Ask Zoë"}]})
    await api.save({**DOCUMENT, "name": "a", "tags": ["Nightly"]})
    for search, found in (("HTTPREQ", ["b"]), ("zo%C3%AB", ["b"]), ("night", ["a"]), ("x", [])):
        assert await listed(api, f"search={search}") == found
    for order, found in (("name", ["a", "b"]), ("-name", ["b", "a"]), ("-nodeCount", ["b", "a"])):
        assert await listed(api, f"order={order}") == found
    assert list((await api.refused("GET", "/workflows?order=size"))["details"]) == ["order"]


async def test_a_version_gets_a_name(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}/versions"
    await api.ok("PATCH", f"{path}/1", {"label": " Before "}, 204)
    assert (await api.ok("GET", path))["data"][0]["label"] == "Before"
    await api.ok("PATCH", f"{path}/1", {"label": ""}, 204)
    assert "label" not in (await api.ok("GET", path))["data"][0]
    await api.refused("PATCH", f"{path}/2", {"label": "a"}, 404)
    await api.refused("PATCH", f"{path}/1", {"label": "a" * 101})


async def test_a_path_leads_to_its_folder_and_makes_what_is_missing(api: Any) -> None:
    changes = FolderChanges(api.context)
    top = await folder(api, "Sales")
    inner = await changes.at(["sales ", "2024"])
    assert (await changes.at(["SALES", "2024"]), await changes.at([])) == (inner, None)
    assert await changes.path(inner) == ["Sales", "2024"]
    assert await tree(api) == {"Sales": (None, 0), "2024": ("Sales", 0)}
    assert await changes.path(top) == ["Sales"]
    with pytest.raises(InvalidInput, match="8 deep"):
        await changes.at([f"{level}" for level in range(9)])
    assert len(await changes.all()) == 2
