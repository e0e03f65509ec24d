"""/api/v1/credentials: the values go in and never come out."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

UNKNOWN = "00000000-0000-4000-8000-000000000000"
BODY = {"name": "Hook secret", "kind": "httpHeaderAuth", "values": {"name": "X-Token", "value": "s3cr3t-value"}}


async def test_values_are_sealed_and_never_shown(api: Any) -> None:
    made = await api.ok("POST", "/credentials", BODY, 201)
    path = f"/credentials/{made['id']}"
    assert set(made) == {"id", "name", "kind", "createdAt", "updatedAt"}
    shown = [made, await api.ok("GET", path), await api.ok("GET", "/credentials")]
    shown.append(await api.ok("PATCH", path, {"name": "renamed"}))
    assert "s3cr3t" not in str(shown)
    kept = await api.store.credential(made["id"])
    assert b"s3cr3t" not in kept.sealed
    assert orjson.loads(api.context.secrets.open(kept.sealed)) == BODY["values"]
    assert api.context.secrets.redacted == ["s3cr3t-value"]


async def test_patch_replaces_all_values(api: Any) -> None:
    made = await api.ok("POST", "/credentials", BODY, 201)
    changed = await api.ok("PATCH", f"/credentials/{made['id']}", {"values": {"value": "other-value"}})
    assert (changed["name"], changed["kind"], changed["createdAt"]) == (made["name"], made["kind"], made["createdAt"])
    kept = await api.store.credential(made["id"])
    assert orjson.loads(api.context.secrets.open(kept.sealed)) == {"value": "other-value"}


async def test_the_list_pages_and_delete_forgets(api: Any) -> None:
    ids = [(await api.ok("POST", "/credentials", {**BODY, "name": f"c{n}"}, 201))["id"] for n in range(3)]
    page = await api.ok("GET", "/credentials?limit=2&offset=2")
    assert (page["total"], len(page["data"])) == (3, 1)
    await api.ok("DELETE", f"/credentials/{ids[0]}", status=204)
    await api.refused("DELETE", f"/credentials/{ids[0]}", status=404)
    assert (await api.ok("GET", "/credentials"))["total"] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": 5},
        {"kind": ""},
        {"kind": "a b"},
        {"values": {}},
        {"values": []},
        {"values": {"value": 5}},
        {"values": {"": "x"}},
        {"values": {"value": "x" * 65_537}},
        {"values": {f"k{n}": "" for n in range(51)}},
        {"more": 1},
    ],
)
async def test_wrong_credentials_are_refused_without_their_values(api: Any, change: dict[str, Any]) -> None:
    found = await api.refused("POST", "/credentials", {**BODY, **change})
    assert "s3cr3t" not in str(found)
    assert (await api.ok("GET", "/credentials"))["total"] == 0


@pytest.mark.parametrize("ident", [UNKNOWN, "%00", "x"])
async def test_an_unknown_id_is_not_found(api: Any, ident: str) -> None:
    for method, body in (("GET", ...), ("PATCH", {}), ("DELETE", ...)):
        await api.refused(method, f"/credentials/{ident}", body, 404)
