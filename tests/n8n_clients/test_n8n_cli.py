"""`@n8n/cli`: its whole list of commands."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from clients import Cli, modules, set_node, stop_node, wait_node, workflow

from jackfield.testing.daemon import Daemon, poll

ELSEWHERE = {
    ("source-control", "pull"): "use jackfield git",
    ("package", "export", "--workflow-id", "1", "--output", "package.n8np"): "no packages",
}
"""What Jackfield does not have -> words of its answer."""
LOCAL = {"config", "login", "logout", "skill"}
"""Topics that ask no server, but for login."""


def test_workflows(cli: Cli, daemon: Daemon) -> None:
    made = cli.ok("workflow", "create", "--stdin", given=json.dumps(workflow("Cli one", "cli-one", [set_node(1)])))
    ident = made["id"]
    assert cli.ok("workflow", "get", ident)["nodes"] == made["nodes"]
    changed = {**workflow("Cli two", "cli-one", [set_node(2)])}
    assert cli.ok("workflow", "update", ident, "--stdin", given=json.dumps(changed))["versionId"] == "2"
    assert cli.ok("workflow", "activate", ident)["active"] is True
    assert httpx.post(f"{daemon.base_url}/webhook/cli-one", json={}, trust_env=False).json() == {"x": 2}
    assert [row["id"] for row in cli.ok("workflow", "list", "--active", "--name", "li TWO")] == [ident]
    tag = cli.ok("tag", "create", "--name", "cli-night")
    assert cli.ok("workflow", "tags", ident, "--set", tag["id"]) == [tag]
    assert cli.ok("workflow", "tags", ident) == [tag]
    assert [row["tags"] for row in cli.ok("workflow", "list", "--tag", "cli-night")] == [[tag]]
    assert cli.ok("workflow", "list", "--tag", "cli-day") == []
    assert cli.run("workflow", "transfer", ident, "--project", "jackfield")[0] == 0
    assert "no project with this id" in cli.refused("workflow", "transfer", ident, "--project", "other")
    assert cli.ok("workflow", "deactivate", ident)["active"] is False
    assert cli.run("workflow", "delete", ident)[0] == 0
    assert "no workflow with this id" in cli.refused("workflow", "get", ident)
    assert cli.ok("tag", "update", tag["id"], "--name", "cli-dusk")["name"] == "cli-dusk"
    assert [row["name"] for row in cli.ok("tag", "list")] == ["cli-dusk"]
    assert cli.run("tag", "delete", tag["id"])[0] == 0
    assert cli.ok("tag", "list") == []


def test_data_tables(cli: Cli) -> None:
    columns = '[{"name":"item","type":"string"},{"name":"count","type":"number"}]'
    ident = cli.ok("data-table", "create", "--name", "cli-table", "--columns", columns)["id"]
    assert [each["name"] for each in cli.ok("data-table", "get", ident)["columns"]] == ["item", "count"]
    assert "cli-table" in [row["name"] for row in cli.ok("data-table", "list")]
    rows = json.dumps([{"item": "nail", "count": 3}, {"item": "screw", "count": 5}])
    cli.ok("data-table", "add-rows", ident, "--stdin", given=rows)
    nail = {"type": "and", "filters": [{"columnName": "item", "condition": "eq", "value": "nail"}]}
    cli.ok("data-table", "update-rows", ident, "--stdin", given=json.dumps({"filter": nail, "data": {"count": 4}}))
    nut = {"type": "and", "filters": [{"columnName": "item", "condition": "eq", "value": "nut"}]}
    given = json.dumps({"filter": nut, "data": {"item": "nut", "count": 1}})
    cli.ok("data-table", "upsert-rows", ident, "--stdin", given=given)
    assert [row["count"] for row in cli.ok("data-table", "rows", ident)] == [4, 5, 1]
    assert [row["item"] for row in cli.ok("data-table", "rows", ident, "--search", "nu")] == ["nut"]
    cli.ok("data-table", "delete-rows", ident, "--filter", json.dumps(nail))
    assert [row["item"] for row in cli.ok("data-table", "rows", ident, "--filter", json.dumps(nut))] == ["nut"]
    assert cli.run("data-table", "delete", ident)[0] == 0
    assert "Could not find the data table" in cli.refused("data-table", "get", ident)


def test_lists_are_read_page_by_page(cli: Cli) -> None:
    names = [f"cli-tag-{number:03}" for number in range(4)]
    made = [cli.ok("tag", "create", "--name", name) for name in names]
    assert [row["name"] for row in cli.ok("tag", "list", "--limit", "3")] == names[:3]
    for tag in made:
        assert cli.run("tag", "delete", tag["id"])[0] == 0


def test_executions(cli: Cli, daemon: Daemon) -> None:
    def called(name: str, *nodes: dict[str, object]) -> str:
        """The id of a workflow's only execution."""
        document = json.dumps(workflow(name, name, nodes))
        ident = cli.ok("workflow", "create", "--stdin", given=document)["id"]
        cli.ok("workflow", "activate", ident)
        httpx.post(f"{daemon.base_url}/webhook/{name}", json={}, trust_env=False, timeout=0.5 if name == "w" else 30)
        (row,) = cli.ok("execution", "list", "--workflow", ident)
        assert row["workflowId"] == ident
        return str(row["id"])

    good, bad = called("g", set_node(5)), called("b", stop_node())
    assert cli.ok("execution", "list", "--status", "error")[0]["id"] == bad
    assert good in [row["id"] for row in cli.ok("execution", "list", "--status", "success", "--limit", "2")]
    assert "data" not in cli.ok("execution", "get", good)
    whole = cli.ok("execution", "get", good, "--include-data")
    assert whole["data"]["resultData"]["runData"]["Set"][0]["data"]["main"][0][0]["json"] == {"x": 5}
    assert whole["workflowData"]["name"] == "g"
    error = cli.ok("execution", "get", bad, "--include-data")["data"]["resultData"]
    assert (error["error"]["message"], error["error"]["node"]["name"], error["lastNodeExecuted"]) == (
        "enough",
        "Stop",
        "Stop",
    )
    again = cli.ok("execution", "retry", bad)
    assert (again["retryOf"], again["mode"]) == (bad, "retry")
    assert "No node of this execution failed" in cli.refused("execution", "retry", good)
    with pytest.raises(httpx.ReadTimeout):
        called("w", wait_node())
    (waiting,) = poll(lambda: cli.ok("execution", "list", "--status", "waiting"), "an execution waits")
    assert cli.ok("execution", "stop", waiting["id"])["status"] == "canceled"
    assert [row["id"] for row in cli.ok("execution", "list", "--status", "canceled")] == [waiting["id"]]
    assert "error" in cli.refused("execution", "stop", good).lower()
    assert cli.run("execution", "delete", good)[0] == 0
    assert "no execution with this id" in cli.refused("execution", "get", good)


def test_credentials(cli: Cli) -> None:
    schema = cli.ok("credential", "schema", "httpBasicAuth")
    assert {"user", "password"} <= schema["properties"].keys()
    assert "no such type" in cli.refused("credential", "schema", "nonsense")
    values = json.dumps({"user": "ada", "password": "planted-77aa"})
    made = cli.ok("credential", "create", "--type", "httpBasicAuth", "--name", "c", "--data", values)
    assert (made["type"], made["name"]) == ("httpBasicAuth", "c")
    assert cli.ok("credential", "get", made["id"]) == made
    assert cli.ok("credential", "list") == [made]
    wrong = json.dumps({"user": "ada", "pass": "planted-77aa"})
    said = cli.refused("credential", "create", "--type", "httpBasicAuth", "--name", "c", "--data", wrong)
    assert "planted-77aa" not in said
    assert cli.run("credential", "transfer", made["id"], "--project", "jackfield")[0] == 0
    assert cli.run("credential", "delete", made["id"])[0] == 0
    assert cli.ok("credential", "list") == []


def test_variables(cli: Cli) -> None:
    cli.ok("variable", "create", "--key", "region", "--value", "eu")
    (row,) = cli.ok("variable", "list")
    assert (row["key"], row["value"]) == ("region", "eu")
    assert cli.run("variable", "update", row["id"], "--key", "region", "--value", "us")[0] == 0
    assert [each["value"] for each in cli.ok("variable", "list")] == ["us"]
    assert cli.run("variable", "delete", row["id"])[0] == 0
    assert cli.ok("variable", "list") == []


def test_users_projects_and_audit(cli: Cli, daemon: Daemon) -> None:
    (user,) = cli.ok("user", "list")
    assert (user["email"], user["role"]) == ("admin", "global:admin")
    assert cli.ok("user", "get", user["id"]) == cli.ok("user", "get", "admin") == user
    assert [row["id"] for row in cli.ok("project", "list")] == ["jackfield"]
    assert cli.ok("project", "get", "jackfield")["name"] == "Shared"
    assert [row["id"] for row in cli.ok("project", "members", "jackfield")] == [user["id"]]
    ident = cli.ok("workflow", "create", "--stdin", given=json.dumps(workflow("Open", "cli-open")))["id"]
    cli.ok("workflow", "activate", ident)
    report = cli.ok("audit", "--categories", "instance")
    assert ident in [place["workflowId"] for place in report["Instance Risk Report"]["sections"][0]["location"]]


@pytest.mark.parametrize("arguments", ELSEWHERE)
def test_what_jackfield_does_not_have_is_said(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert ELSEWHERE[arguments] in cli.refused(*arguments)


def test_projects(cli: Cli, daemon: Daemon) -> None:
    made = cli.ok("project", "create", "--name", "cli-team")
    assert (made["name"], made["type"]) == ("cli-team", "team")
    assert cli.run("project", "update", made["id"], "--name", "cli-crew")[0] == 0
    assert cli.ok("project", "get", made["id"])["name"] == "cli-crew"
    headers = {"Authorization": f"Bearer {daemon.login()}"}
    person = {"username": "cli-ann", "password": "correct-horse-battery", "role": "member"}
    user = daemon.client(headers=headers).post("/api/v1/users", json=person).raise_for_status().json()["id"]
    assert cli.run("project", "add-member", made["id"], "--user", user, "--role", "project:viewer")[0] == 0
    members = {row["email"]: row["role"] for row in cli.ok("project", "members", made["id"])}
    assert members == {"admin": "project:admin", "cli-ann": "project:viewer"}
    assert cli.run("project", "remove-member", made["id"], "--user", user)[0] == 0
    assert [row["email"] for row in cli.ok("project", "members", made["id"])] == ["admin"]
    ident = cli.ok("workflow", "create", "--stdin", given=json.dumps(workflow("Team's", "cli-team", [set_node(1)])))[
        "id"
    ]
    assert cli.run("workflow", "transfer", ident, "--project", made["id"])[0] == 0
    assert "belongs to the project" in cli.refused("project", "delete", made["id"])
    assert cli.run("workflow", "delete", ident)[0] == 0
    assert cli.run("project", "delete", made["id"])[0] == 0
    assert "shared project stays" in cli.refused("project", "delete", "jackfield")


def test_the_connection_is_kept(cli: Cli, daemon: Daemon, key: str, tmp_path: Path) -> None:
    own = {"HOME": str(tmp_path), "N8N_URL": None, "N8N_API_KEY": None}
    assert cli.run("config", "set-url", daemon.base_url, env=own)[0] == 0
    assert cli.run("config", "set-api-key", key, env=own)[0] == 0
    assert daemon.base_url in cli.run("config", "show", env=own)[1]
    assert cli.run("workflow", "list", env=own)[0] == 0
    assert "Check your API key" in cli.run("workflow", "list", env={**own, "N8N_API_KEY": "eyJ.no.key"})[2]
    assert cli.run("logout", env=own)[0] == 0


def test_every_topic_was_tried(cli: Cli) -> None:
    commands = modules() / "@n8n/cli/dist/commands"
    topics = {path.name.removesuffix(".js") for path in commands.iterdir() if path.is_dir() or path.suffix == ".js"}
    tried = {"workflow", "execution", "credential", "variable", "tag", "user", "project", "audit", "data-table"}
    assert topics == tried | LOCAL | {arguments[0] for arguments in ELSEWHERE}
