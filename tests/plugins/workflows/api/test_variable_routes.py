"""/api/v1/variables."""

from __future__ import annotations

from typing import Any

import pytest

UNKNOWN = "00000000-0000-4000-8000-000000000000"


async def test_a_variable_is_created_read_changed_and_deleted(api: Any) -> None:
    made = await api.ok("POST", "/variables", {"key": "region", "value": "eu"}, 201)
    path = f"/variables/{made['id']}"
    assert (made["key"], made["value"]) == ("region", "eu")
    assert await api.ok("GET", path) == made
    assert (await api.ok("GET", "/variables")) == {"data": [made], "total": 1}
    assert (await api.ok("PATCH", path, {"value": ""}))["value"] == ""
    changed = await api.ok("PUT", path, {"key": "zone", "value": "b"})
    assert (changed["id"], changed["key"], changed["createdAt"]) == (made["id"], "zone", made["createdAt"])
    await api.ok("DELETE", path, status=204)
    await api.refused("GET", path, status=404)
    assert api.published() == ["variables.changed"] * 4


async def test_two_variables_with_one_key_are_a_conflict(api: Any) -> None:
    await api.ok("POST", "/variables", {"key": "a", "value": "1"}, 201)
    other = await api.ok("POST", "/variables", {"key": "b", "value": "2"}, 201)
    assert (await api.refused("POST", "/variables", {"key": "a", "value": "3"}, 409))["code"] == "CONFLICT"
    await api.refused("PATCH", f"/variables/{other['id']}", {"key": "a"}, 409)
    assert [(row["key"], row["value"]) for row in (await api.ok("GET", "/variables"))["data"]] == [
        ("a", "1"),
        ("b", "2"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"key": "a"},
        {"value": "a"},
        {"key": "1a", "value": ""},
        {"key": "a-b", "value": ""},
        {"key": "a\n", "value": ""},
        {"key": "ä", "value": ""},
        {"key": "", "value": ""},
        {"key": "a" * 129, "value": ""},
        {"key": "a", "value": 5},
        {"key": "a", "value": "x" * 65_537},
        {"key": "a", "value": "", "more": 1},
    ],
)
async def test_wrong_variables_are_refused(api: Any, body: Any) -> None:
    assert (await api.refused("POST", "/variables", body))["code"] == "VALIDATION_ERROR"
    assert (await api.ok("GET", "/variables"))["total"] == 0


@pytest.mark.parametrize("ident", [UNKNOWN, "%00", "x"])
async def test_an_unknown_id_is_not_found(api: Any, ident: str) -> None:
    for method, body in (("GET", ...), ("PUT", {"key": "a", "value": ""}), ("PATCH", {}), ("DELETE", ...)):
        await api.refused(method, f"/variables/{ident}", body, 404)
