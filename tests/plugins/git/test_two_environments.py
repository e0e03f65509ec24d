"""Development and production: two daemons, one bare repository, real git."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.git.environments_lab import REFERENCE, Place, ok, run_git, sides, two_environments

SECRET = "value-that-no-repository-has"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    hostile = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere", "GIT_CONFIG_PARAMETERS": "'core.bare'='nonsense'"}
    yield from two_environments(tmp_path_factory.mktemp("environments"), hostile, {})


def _document(name: str, value: str = "one") -> dict[str, Any]:
    trigger = {
        "id": "n1", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0],
        "parameters": {},
    }  # fmt: skip
    fields = {"assignments": {"assignments": [{"id": "a", "name": "x", "value": value, "type": "string"}]}}
    node = {
        "id": "n2", "name": "Set", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [200, 0],
        "parameters": fields,
    }  # fmt: skip
    wires = {"Start": {"main": [[{"node": "Set", "type": "main", "index": 0}]]}}
    return {"name": name, "nodes": [trigger, node], "connections": wires, "settings": {}, "tags": ["team", "daily"]}


@pytest.fixture(scope="module")
def workflow(place: Place) -> str:
    """Pushed by dev, pulled by prod."""
    api = place.here
    found = str(ok(api.post("/workflows", json=_document("Daily")))["id"])
    body = {"name": "Mail", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": SECRET}}
    ok(api.post("/credentials", json=body))
    body = {"name": "Vault", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": REFERENCE}}
    ok(api.post("/credentials", json=body))
    ok(api.post("/variables", json={"key": "region", "value": "value-of-dev"}))
    ok(api.post("/data-tables", json={"name": "Guests", "columns": [{"name": "age", "type": "number"}]}))
    assert set(sides(api).values()) == {"here"}
    ok(api.post("/git/push", json={"message": "The first"}))
    assert sides(api) == {}
    pulled = ok(place.there.post("/git/pull", json={}))
    assert pulled["complete"], pulled
    assert sides(place.there) == {}
    return found


def test_the_repository_has_everything_but_values(place: Place, workflow: str) -> None:
    files = place.files()
    assert sorted({name.split("/")[1] for name in files}) == [
        "credential_stubs", "data_tables", "variable_stubs", "workflows"
    ]  # fmt: skip
    everything = "".join(files.values())
    assert SECRET not in everything
    assert "value-of-dev" not in everything
    assert REFERENCE in everything
    text = files[f"flows/workflows/{workflow}.json"]
    document = json.loads(text)
    assert text == json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    assert document["tags"] == ["daily", "team"]


def test_production_has_the_same_under_the_same_ids(place: Place, workflow: str) -> None:
    found = ok(place.there.get(f"/workflows/{workflow}"))
    assert (found["name"], found["active"]) == ("Daily", False)
    here, there = (ok(api.get("/credentials"))["data"] for api in (place.here, place.there))
    assert {row["id"]: row["name"] for row in here} == {row["id"]: row["name"] for row in there}
    assert ok(place.there.get("/data-tables"))["data"][0]["name"] == "Guests"


def test_production_changes_by_a_pull_alone(place: Place, workflow: str) -> None:
    tag = next(row["id"] for row in ok(place.there.get("/tags"))["data"] if row["name"] == "team")
    folder = ok(place.there.post("/folders", json={"name": "Mine"}))["id"]
    for method, path, body in (
        ("PATCH", f"/folders/{folder}", {"name": "Mine too"}),
        ("PUT", f"/workflows/{workflow}/folder", {"folderId": folder}),
        ("PUT", f"/tags/{tag}", {"name": "other"}),
        ("DELETE", f"/tags/{tag}", None),
        ("POST", "/workflows", _document("Other")),
        ("PUT", f"/workflows/{workflow}", _document("Daily", "by hand")),
        ("PATCH", f"/workflows/{workflow}", {"name": "By hand"}),
        ("DELETE", f"/workflows/{workflow}", None),
        ("POST", "/import", {"workflows": [_document("Imported")]}),
        ("POST", "/git/push", {"message": "No"}),
    ):
        answer = place.there.request(method, path, json=body)
        if path == "/import":
            assert answer.json()["results"][0]["status"] == "failed"
        else:
            assert answer.status_code == 409, answer.text
    assert sides(place.there) == {}


def test_a_change_goes_from_one_to_the_other(place: Place, workflow: str) -> None:
    path = f"workflows/{workflow}.json"
    ok(place.here.put(f"/workflows/{workflow}", json=_document("Daily", "two")))
    assert sides(place.here) == {path: "here"}
    diff = ok(place.here.get("/git/diff", params={"path": path}))["diff"]
    assert tuple(line[0] for line in diff.splitlines() if '"value":' in line) == ("-", "+")
    ok(place.here.post("/git/push", json={"message": "The second", "paths": [path]}))
    assert sides(place.there) == {path: "there"}
    pulled = ok(place.there.post("/git/pull", json={}))
    assert [row["path"] for row in pulled["files"]] == [path]
    kept = place.prod.config_dir / "git" / "repository.git"
    before = run_git("--git-dir", str(kept), "show", f"{pulled['backup']}:flows/{path}", into=place.root)
    assert '"one"' in before
    assert '"two"' in json.dumps(ok(place.there.get(f"/workflows/{workflow}")))


def test_what_has_changed_on_both_sides_is_refused_until_somebody_chooses(place: Place, workflow: str) -> None:
    path = f"workflows/{workflow}.json"
    theirs = json.loads(place.files()[f"flows/{path}"]) | {"name": "Renamed there"}
    place.commit(f"flows/{path}", json.dumps(theirs))
    ok(place.here.patch(f"/workflows/{workflow}", json={"name": "Renamed here"}))
    assert sides(place.here) == {path: "both"}
    for way, body in (("push", {"message": "Mine"}), ("pull", {})):
        answer = place.here.post(f"/git/{way}", json=body)
        assert answer.status_code == 409
        assert answer.json()["details"] == {path: "has changed on both sides"}
    ok(place.here.post("/git/pull", json={"ours": [path]}))
    assert sides(place.here) == {path: "here"}
    assert ok(place.here.get(f"/workflows/{workflow}"))["name"] == "Renamed here"
    ok(place.here.post("/git/push", json={"message": "Mine after all"}))
    assert json.loads(place.files()[f"flows/{path}"])["name"] == "Renamed here"
    place.commit(f"flows/{path}", json.dumps(theirs))
    ok(place.here.patch(f"/workflows/{workflow}", json={"name": "Once more"}))
    ok(place.here.post("/git/pull", json={"others": "theirs"}))
    assert ok(place.here.get(f"/workflows/{workflow}"))["name"] == "Renamed there"


def test_links_and_what_is_no_workflow(place: Place, workflow: str) -> None:
    place.commit("flows/README.md", "Not ours.")
    place.commit("flows/docs/config.json", "{}")
    place.commit("flows/workflows/deeper/below.json", "{}")
    place.commit("flows/workflows/latin.json", b'{"name": "\xe9"}')
    assert "\ufffd" in ok(place.here.get("/git/diff", params={"path": "workflows/latin.json"}))["diff"]
    place.commit("flows/workflows/latin.json", None)
    place.commit("flows/workflows/broken.json", "{}")
    found = ok(place.here.post("/git/pull", json={}))
    assert [(row["path"], "UUID" in row["message"]) for row in found["files"]] == [("workflows/broken.json", True)]
    assert not found["complete"]
    place.commit("flows/workflows/broken.json", None)
    place.commit("flows/workflows/link.json", None, link="/etc/passwd")
    answer = place.here.get("/git")
    assert answer.status_code == 400
    assert "no plain file" in answer.json()["message"]
    place.commit("flows/workflows/link.json", None)
    assert sides(place.here) == {}


def test_a_chosen_project_leaves_nothing_out(place: Place, workflow: str) -> None:
    """The interface names the chosen project with each request; the rest is no less there."""
    team = ok(place.here.post("/projects", json={"name": "Team"}))["id"]
    chosen = {"X-Jackfield-Project": team}
    before = place.files()
    assert ok(place.here.get("/git", headers=chosen))["changes"] == []
    ok(place.here.post("/git/push", json={"message": "Nothing is gone"}, headers=chosen))
    assert place.files() == before


def test_a_pull_that_lacks_a_secret_is_no_change_of_ours(place: Place, workflow: str) -> None:
    """A node that is new here has `***` in the repository, and is without its secret: nobody is let in by stars, and
    the next pull brings the next version."""
    ident = "0192aaaa-0000-7000-8000-000000000001"
    path = f"workflows/{ident}.json"
    hook = {
        "id": "h", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
        "parameters": {
            "path": "masked", "httpMethod": "POST", "authentication": "headerAuth",
            "authConfig": {"headerName": "X-Key", "headerValue": "***"},
        },
    }  # fmt: skip
    document = {"id": ident, "name": "Masked", "nodes": [hook], "connections": {}, "settings": {}, "tags": []}
    place.commit(f"flows/{path}", json.dumps(document))
    assert ok(place.there.post("/git/pull", json={}))["complete"]
    assert place.there.post(f"/workflows/{ident}/activate").status_code == 400
    assert sides(place.there)[path] == "here"
    place.commit(f"flows/{path}", json.dumps(document | {"name": "Masked again"}))
    assert sides(place.there)[path] == "there"
    assert ok(place.there.post("/git/pull", json={}))["complete"]
    assert ok(place.there.get(f"/workflows/{ident}"))["name"] == "Masked again"
    place.commit(f"flows/{path}", None)
    ok(place.there.post("/git/pull", json={}))


def test_locks_and_halves_of_packs_that_a_killed_git_left(place: Place, workflow: str) -> None:
    home = place.dev.config_dir / "git"
    left = [home / "index.lock", home / "repository.git/shallow.lock", home / "repository.git/objects/pack/tmp_pack_x"]
    for path in left:
        path.write_text("")
    ok(place.here.patch(f"/workflows/{workflow}", json={"name": "After a kill"}))
    ok(place.here.post("/git/push", json={"message": "After a kill"}))
    assert not any(path.exists() for path in left)


def test_what_is_removed_there_is_removed_here(place: Place, workflow: str) -> None:
    second = str(ok(place.here.post("/workflows", json=_document("Short-lived")))["id"])
    ok(place.here.post("/git/push", json={"message": "One more"}))
    place.commit(f"flows/workflows/{second}.json", None)
    assert sides(place.here) == {f"workflows/{second}.json": "there"}
    ok(place.here.post("/git/pull", json={}))
    assert place.here.get(f"/workflows/{second}").status_code == 404


def test_commands(place: Place, workflow: str) -> None:
    program = str(Path(sys.executable).with_name("jackfield"))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        given = [program, "git", *words, "--config-dir", str(place.dev.config_dir), "--url", place.dev.base_url]
        return subprocess.run(given, capture_output=True, text=True, timeout=60, check=False)

    ok(place.here.patch(f"/workflows/{workflow}", json={"name": "By commands"}))
    listed = run("status")
    assert f"workflows/{workflow}.json" in listed.stdout, listed.stderr
    assert '+  "name": "By commands"' in run("diff", f"workflows/{workflow}.json").stdout
    pushed = run("push", "-m", "By a command")
    assert pushed.returncode == 0, pushed.stderr
    assert "Nothing differs." in run("status").stderr
    assert run("pull").returncode == 0
    assert run("key").stdout.startswith("ssh-ed25519 ")


def test_administrators_alone(place: Place) -> None:
    assert place.dev.client().get("/api/v1/git").status_code == 401
    scopes = ["workflows:read", "workflows:write", "credentials:write"]
    key = ok(place.here.post("/api-keys", json={"name": "narrow", "scopes": scopes}))["key"]
    narrow = place.dev.client(headers={"X-API-Key": key})
    for method, path in (("GET", ""), ("GET", "/diff"), ("POST", "/push"), ("POST", "/pull"), ("POST", "/key")):
        assert narrow.request(method, f"/api/v1/git{path}", json={}).status_code == 403
