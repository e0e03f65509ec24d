"""A credential that is given as a workflow is refused on every way in: any viewer reads workflows."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.testing.documents import chain, set_fields, webhook

GOOD = chain("greet", webhook("hello"), set_fields("Greet", text="hi"))
PASSWORD = "horse-battery-9"
DECRYPTED: dict[str, Any] = {
    "createdAt": "2026-03-01T10:00:00.000Z",
    "updatedAt": "2026-03-01T10:00:00.000Z",
    "id": "ZkPz3c8oVbXUyTHn",
    "name": "Shop",
    "data": {"user": "ada", "password": PASSWORD},
    "type": "httpBasicAuth",
    "isManaged": False,
}
ENCRYPTED = {**DECRYPTED, "data": "U2FsdGVkX19zb21lIGNpcGhlcnRleHQ="}
OWN = {"name": "Shop", "kind": "httpBasicAuth", "values": {"user": "ada", "password": PASSWORD}}
CREDENTIALS = pytest.mark.parametrize("credential", [DECRYPTED, ENCRYPTED, OWN], ids=["decrypted", "encrypted", "own"])


def refused_well(found: dict[str, Any]) -> bool:
    """It says what this is and where it belongs, and repeats no secret."""
    text = str(found)
    return "credential" in text and "jackfield import n8n" in text and PASSWORD not in text


async def stored(api: Any) -> int:
    return int((await api.ok("GET", "/workflows"))["total"])


@CREDENTIALS
async def test_it_is_not_created(api: Any, credential: dict[str, Any]) -> None:
    assert refused_well(await api.refused("POST", "/workflows", credential))
    assert await stored(api) == 0


@CREDENTIALS
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_it_replaces_no_workflow(api: Any, credential: dict[str, Any], method: str) -> None:
    saved = await api.save(GOOD)
    assert refused_well(await api.refused(method, f"/workflows/{saved['id']}", credential))
    assert await api.ok("GET", f"/workflows/{saved['id']}") == saved


@CREDENTIALS
@pytest.mark.parametrize("several", [False, True], ids=["separate", "list"])
async def test_it_is_not_imported(api: Any, credential: dict[str, Any], several: bool) -> None:
    found = await api.refused("POST", "/workflows/import", [credential] * 2 if several else credential)
    assert refused_well(found)
    assert {result["status"] for result in found["results"]} == {"refused"}
    assert await stored(api) == 0


@CREDENTIALS
async def test_a_list_with_workflows_and_credentials_is_refused(api: Any, credential: dict[str, Any]) -> None:
    found = await api.refused("POST", "/workflows/import", [GOOD, credential])
    assert refused_well(found)
    assert [result["status"] for result in found["results"]] == ["skipped", "refused"]
    assert await stored(api) == 0
    some = await api.ok("POST", "/workflows/import?partial=true", [GOOD, credential], 207)
    assert [result["status"] for result in some["results"]] == ["created", "refused"]
    assert await stored(api) == 1


@CREDENTIALS
async def test_it_is_no_valid_workflow(api: Any, credential: dict[str, Any]) -> None:
    found = await api.ok("POST", "/workflows/validate", credential)
    assert found["valid"] is False
    assert refused_well(found)


async def test_other_documents_without_nodes_are_what_they_were(api: Any) -> None:
    for document in ({"name": "Empty"}, {"name": "Own keys", "data": "x"}, {**GOOD, "type": "flow", "data": {"x": 1}}):
        await api.save(document)
    assert await stored(api) == 3
