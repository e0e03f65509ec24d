"""Folders and projects of n8n: tags here, whatever names them, and on the way out and in again."""

from __future__ import annotations

from typing import Any

import pytest
from n8n_documents import node, workflow
from test_import import imported

from jackfield.testing.daemon import Daemon
from jackfield_migration.places import Places, places

FOLDERS = [
    {"id": "a", "name": "Sales", "parentFolderId": None},
    {"id": "b", "name": "2024", "parentFolderId": "a"},
    {"id": "round", "name": "Round", "parentFolderId": "round"},
]
TEAM = {"id": "p", "name": "Marketing", "type": "team"}


def names(known: Places, **document: Any) -> list[str]:
    return [tag["name"] for tag in known.tagged({"id": "w", **document}).get("tags", ())]  # type: ignore[union-attr,index,call-overload]  # tags of ours


@pytest.mark.parametrize(
    ("document", "wanted"),
    [
        ({"parentFolderId": "b"}, ["folder/Sales/2024"]),
        ({"parentFolder": {"id": "b", "name": "2024"}}, ["folder/Sales/2024"]),
        ({"parentFolder": {"id": "unknown", "name": "Alone"}}, ["folder/Alone"]),
        ({"parentFolder": {"name": "Sales, and more"}}, ["folder/Sales and more"]),
        ({"parentFolderId": "round"}, ["folder/Round"]),
        ({"parentFolderId": "nowhere"}, []),
        ({"homeProject": TEAM}, ["project/Marketing"]),
        ({"homeProject": {**TEAM, "type": "personal"}}, []),
        ({"shared": [{"role": "workflow:owner", "project": TEAM}]}, ["project/Marketing"]),
        ({"shared": [{"role": "workflow:editor", "project": TEAM}, "x", {"project": 7}]}, []),
        ({"tags": [{"name": "own"}], "parentFolderId": "a", "homeProject": TEAM},
         ["own", "folder/Sales", "project/Marketing"]),
        ({"tags": None, "parentFolder": 7, "shared": 7, "homeProject": 7}, []),
    ],
)  # fmt: skip
def test_whatever_names_them(document: dict[str, Any], wanted: list[str]) -> None:
    if wanted or document.get("tags") is not None:
        assert names(places(FOLDERS, [TEAM]), **document) == wanted
    else:
        assert places(FOLDERS, [TEAM]).tagged({"id": "w", **document}) == {"id": "w", **document}


def test_a_workflow_is_found_by_its_folder_and_comes_back_with_it(daemon: Daemon) -> None:
    api = daemon.admin()
    given = workflow("Filed00000000001", "Filed", [node("Start", "manualTrigger")], parentFolderId="b")
    shared = {**given, "shared": [{"role": "workflow:owner", "project": TEAM}]}
    body = {"workflows": [shared], "folders": FOLDERS, "projects": [TEAM]}
    (row,) = imported(api, body, source="filed")["results"]
    found = api.get("/workflows", params={"tags": "folder/Sales/2024,project/Marketing"}).json()["data"]
    assert [each["id"] for each in found] == [row["id"]]
    assert imported(api, body, source="filed")["results"][0]["status"] == "unchanged"
    out = api.get(f"/workflows/{row['id']}/n8n", params={"source": "filed"}).json()
    assert [tag["name"] for tag in out["workflow"]["tags"]] == ["folder/Sales/2024", "project/Marketing"]
    (again,) = imported(api, [out["workflow"]], source="elsewhere")["results"]
    tags = api.get(f"/workflows/{again['id']}").json()["tags"]
    assert [tag["name"] for tag in tags] == ["folder/Sales/2024", "project/Marketing"]


def test_a_tag_that_n8n_may_refuse_is_told(daemon: Daemon) -> None:
    api = daemon.admin()
    given = workflow("Filed00000000002", "Deep", [node("Start", "manualTrigger")], parentFolder={"name": "n" * 30})
    (row,) = imported(api, [given], source="deep")["results"]
    (warning,) = api.get(f"/workflows/{row['id']}/n8n", params={"source": "deep"}).json()["warnings"]
    assert f"at most 24 characters; on PostgreSQL it refuses folder/{'n' * 30}" in warning
