"""/api/v1/tags, and tags of workflows."""

from __future__ import annotations

from typing import Any

import pytest

UNKNOWN = "00000000-0000-4000-8000-000000000000"
DOCUMENT: dict[str, Any] = {"name": "W", "nodes": [], "connections": {}}


def names(found: Any) -> list[str]:
    return [tag["name"] for tag in found]


async def test_a_tag_is_created_read_renamed_and_deleted(api: Any) -> None:
    made = await api.ok("POST", "/tags", {"name": " night "}, 201)
    assert made["name"] == "night"
    path = f"/tags/{made['id']}"
    assert await api.ok("GET", path) == made
    renamed = await api.ok("PUT", path, {"name": "day"})
    assert (renamed["id"], renamed["name"], renamed["createdAt"]) == (made["id"], "day", made["createdAt"])
    other = await api.ok("POST", "/tags", {"name": "a"}, 201)
    page = await api.ok("GET", "/tags?limit=1")
    assert (page["data"], page["total"]) == ([other], 2)
    await api.ok("DELETE", path, status=204)
    await api.refused("GET", path, status=404)
    assert api.published() == ["tags.changed"] * 4


async def test_two_tags_of_one_name_are_a_conflict(api: Any) -> None:
    await api.ok("POST", "/tags", {"name": "a"}, 201)
    other = await api.ok("POST", "/tags", {"name": "A"}, 201)
    assert (await api.refused("POST", "/tags", {"name": "a "}, 409))["details"] == {"name": "is taken"}
    await api.refused("PUT", f"/tags/{other['id']}", {"name": "a"}, 409)


@pytest.mark.parametrize("body", [{}, [], {"name": ""}, {"name": " "}, {"name": 5}, {"name": "a", "more": 1}])
async def test_wrong_tags_are_refused(api: Any, body: Any) -> None:
    await api.refused("POST", "/tags", body)
    assert (await api.ok("GET", "/tags"))["total"] == 0


async def test_a_document_names_its_tags(api: Any) -> None:
    kept = await api.ok("POST", "/tags", {"name": "b"}, 201)
    saved = await api.save({**DOCUMENT, "tags": ["a", {"id": "1", "name": "b"}, "a"]})
    assert names(saved["tags"]) == ["a", "b"]
    assert saved["tags"][1] == kept
    assert names((await api.ok("GET", "/tags"))["data"]) == ["a", "b"]
    path = f"/workflows/{saved['id']}"
    assert names((await api.ok("PUT", path, {**DOCUMENT, "name": "other"}))["tags"]) == ["a", "b"]
    assert names((await api.ok("PUT", path, {**DOCUMENT, "tags": ["c"]}))["tags"]) == ["c"]
    assert names((await api.ok("POST", f"{path}/versions/1/restore"))["tags"]) == ["c"]
    assert names((await api.ok("POST", f"{path}/duplicate", status=201))["tags"]) == ["c"]
    assert (await api.ok("PATCH", path, {"tags": []}))["tags"] == []


@pytest.mark.parametrize(
    ("tags", "where"),
    [
        ("a", "tags"),
        ([1], "tags[0]"),
        (["a", {}], "tags[1]"),
        ([" "], "tags[0]"),
        ([str(n) for n in range(101)], "tags"),
    ],
)
async def test_wrong_tags_of_a_document_are_named(api: Any, tags: Any, where: str) -> None:
    document = {**DOCUMENT, "tags": tags}
    assert list((await api.refused("POST", "/workflows", document))["details"]) == [where]
    problems = (await api.ok("POST", "/workflows/validate", document))["problems"]
    assert [problem["path"] for problem in problems] == [where]
    assert (await api.ok("GET", "/workflows"))["total"] == 0


async def test_workflows_are_found_by_all_of_the_tags(api: Any) -> None:
    for name, tags in (("1", ["x"]), ("2", ["x", "y"]), ("3", [])):
        await api.save({**DOCUMENT, "name": name, "tags": tags})
    for query, found in (("x", ["1", "2"]), ("x, y", ["2"]), ("X", []), ("x,z", []), ("", ["1", "2", "3"])):
        page = await api.ok("GET", f"/workflows?tags={query}")
        assert (sorted(names(page["data"])), page["total"]) == (found, len(found))
    assert {row["name"]: names(row["tags"]) for row in (await api.ok("GET", "/workflows"))["data"]} == {
        "1": ["x"],
        "2": ["x", "y"],
        "3": [],
    }
    await api.refused("GET", "/workflows?tags=" + ",".join(map(str, range(21))))


async def test_a_workflow_is_given_tags_by_their_ids(api: Any) -> None:
    saved = await api.save(DOCUMENT)
    path = f"/workflows/{saved['id']}/tags"
    one, two = [await api.ok("POST", "/tags", {"name": name}, 201) for name in ("one", "two")]
    assert await api.ok("PUT", path, [{"id": two["id"]}, {"id": one["id"]}]) == {"data": [one, two], "total": 2}
    await api.refused("PUT", path, [{"id": two["id"]}, {"id": UNKNOWN}], 404)
    assert (await api.ok("GET", path))["data"] == [one, two]
    await api.ok("DELETE", f"/tags/{one['id']}", status=204)
    assert (await api.ok("GET", f"/workflows/{saved['id']}"))["tags"] == [two]
    assert (await api.ok("GET", f"/workflows/{saved['id']}"))["version"] == 1
    for method, body in (("GET", ...), ("PUT", [])):
        await api.refused(method, f"/workflows/{UNKNOWN}/tags", body, 404)
    await api.refused("PUT", path, [two["id"]])
