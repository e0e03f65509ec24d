"""Folders and projects of n8n: folders here, whatever names them, and on the way out and in again."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from n8n_documents import node, workflow
from test_import import imported

from jackfield.testing.daemon import Daemon
from jackfield_migration.places import Places, folder_of, places

FOLDERS = [
    {"id": "a", "name": "Sales", "parentFolderId": None},
    {"id": "b", "name": "2024", "parentFolderId": "a"},
    {"id": "round", "name": "Round", "parentFolderId": "round"},
]
TEAM = {"id": "p", "name": "Marketing", "type": "team"}


def path(known: Places, **document: Any) -> str:
    return "/".join(folder_of(known.placed({"id": "w", **document})))


@pytest.mark.parametrize(
    ("document", "wanted"),
    [
        ({"parentFolderId": "b"}, "Sales/2024"),
        ({"parentFolder": {"id": "b", "name": "2024"}}, "Sales/2024"),
        ({"parentFolder": {"id": "unknown", "name": "Alone"}}, "Alone"),
        ({"parentFolder": {"name": " Sales,  and more"}}, "Sales, and more"),
        ({"parentFolderId": "round"}, "Round"),
        ({"parentFolderId": "nowhere"}, ""),
        ({"homeProject": TEAM}, "Marketing"),
        ({"homeProject": {**TEAM, "type": "personal"}, "parentFolderId": "a"}, "Sales"),
        ({"shared": [{"role": "workflow:owner", "project": TEAM}], "parentFolderId": "b"}, "Marketing/Sales/2024"),
        ({"shared": [{"role": "workflow:editor", "project": TEAM}, "x", {"project": 7}]}, ""),
        ({"tags": [{"name": "folder/Sales/2024"}]}, "Sales/2024"),
        ({"tags": [{"name": "folder//"}, 7, {"name": 7}]}, ""),
        ({"tags": None, "parentFolder": 7, "shared": 7, "homeProject": 7}, ""),
    ],
)
def test_whatever_names_them(document: dict[str, Any], wanted: str) -> None:
    known = places(FOLDERS, [TEAM])
    assert path(known, **document) == wanted
    once = known.placed({"id": "w", **document})
    assert Places().placed(once) == once, "whoever reads it next knows fewer folders"
    if not wanted:
        assert once == {"id": "w", **document}


def test_other_tags_stay() -> None:
    document = {"tags": [{"name": "own"}, {"name": "folder/Old"}], "parentFolderId": "a", "homeProject": TEAM}
    placed = places(FOLDERS, [TEAM]).placed(document)
    assert (placed["tags"], folder_of(placed)) == ([{"name": "own"}], ("Marketing", "Sales"))


def folders(api: httpx.Client) -> set[tuple[str, str | None]]:
    """Each with the one above."""
    rows = api.get("/folders").json()["data"]
    names = {row["id"]: row["name"] for row in rows}
    return {(row["name"], names.get(row["parentId"])) for row in rows}


def test_a_workflow_comes_into_its_folder_and_stays_where_it_is_put(daemon: Daemon) -> None:
    api = daemon.admin()
    given = workflow("Filed00000000001", "Filed", [node("Start", "manualTrigger")], parentFolderId="b")
    shared = {**given, "shared": [{"role": "workflow:owner", "project": TEAM}]}
    second = workflow("Filed00000000003", "Beside", [node("Start", "manualTrigger")], parentFolderId="a")
    body = {"workflows": [shared, second], "folders": FOLDERS, "projects": [TEAM]}
    row, _ = imported(api, body, source="filed")["results"]
    assert folders(api) == {("Marketing", None), ("Sales", "Marketing"), ("2024", "Sales"), ("Sales", None)}
    place = f"/workflows/{row['id']}/folder"
    out = api.get(f"/workflows/{row['id']}/n8n", params={"source": "filed"}).json()["workflow"]
    assert [tag["name"] for tag in out["tags"]] == ["folder/Marketing/Sales/2024"]
    assert "parentFolder" not in out
    inner = api.get(place).json()["folderId"]
    assert imported(api, body, source="filed")["results"][0]["status"] == "unchanged"
    assert api.put(place, json={"folderId": None}).is_success
    changed = {**body, "workflows": [{**shared, "name": "Renamed"}]}
    assert imported(api, changed, source="filed")["results"][0]["status"] == "updated"
    assert api.get(place).json()["folderId"] is None, "it stays where somebody has put it"
    (again,) = imported(api, [out], source="elsewhere")["results"]
    assert api.get(f"/workflows/{again['id']}/folder").json()["folderId"] == inner
    assert api.get(f"/workflows/{again['id']}").json().get("tags", []) == []


def test_a_folder_that_cannot_be_here_is_told(daemon: Daemon) -> None:
    deep = [{"id": f"{level}", "name": f"Level {level}", "parentFolderId": str(level - 1)} for level in range(9)]
    given = workflow("Filed00000000004", "Too deep", [node("Start", "manualTrigger")], parentFolderId="8")
    (row,) = imported(daemon.admin(), {"workflows": [given], "folders": deep}, source="too-deep")["results"]
    assert row["status"] == "created"
    (problem,) = row["problems"]
    assert (problem["path"], problem["severity"]) == ("parentFolder", "warning")
    assert "workflows.folder_depth" in problem["message"]
    assert ("Level 0", None) not in folders(daemon.admin())


def test_a_tag_that_n8n_may_refuse_is_told(daemon: Daemon) -> None:
    api = daemon.admin()
    given = workflow("Filed00000000002", "Deep", [node("Start", "manualTrigger")], parentFolder={"name": "n" * 30})
    (row,) = imported(api, [given], source="deep")["results"]
    (warning,) = api.get(f"/workflows/{row['id']}/n8n", params={"source": "deep"}).json()["warnings"]
    assert f"at most 24 characters; on PostgreSQL it refuses folder/{'n' * 30}" in warning
