"""The command line beside a real daemon, as its owner, who has no key: what somebody types, and what comes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

from .asking import ADDRESS, asked, asking_headers

SECRET = "s3cret-of-the-credential"


class Shell:
    """`jackfield` with the daemon's configuration directory."""

    def __init__(self, daemon: Daemon) -> None:
        self.directory = daemon.directory
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")} | {
            "JACKFIELD_CONFIG_DIR": str(daemon.config_dir),
            "NO_COLOR": "1",
        }

    def __call__(self, *arguments: str, stdin: str = "", code: int = 0, **environment: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "jackfield", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=self._environment | environment,
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout if code == 0 else ended.stdout + ended.stderr

    def bash(self, *lines: str) -> list[str]:
        """What a script prints."""
        path = os.pathsep.join([str(Path(sys.executable).parent), self._environment["PATH"]])
        ended = subprocess.run(
            ["bash", "-c", "\n".join(lines)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env=self._environment | {"PATH": path},
        )
        return ended.stdout.splitlines()

    def json(self, *arguments: str, stdin: str = "", **environment: str) -> Any:
        return json.loads(self(*arguments, "--json", stdin=stdin, **environment))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("commands"))
    found.start()
    yield found
    found.stop()


@pytest.fixture(scope="module")
def shell(daemon: Daemon) -> Shell:
    return Shell(daemon)


@pytest.fixture(scope="module")
def orders(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A workflow named Orders; its id."""
    body = chain("Orders", webhook("orders", responseMode="lastNode"), set_fields("Mark", seen=True))
    file = tmp_path_factory.mktemp("files") / "orders.json"
    file.write_text(json.dumps(body), encoding="utf-8")
    shell("workflow", "import", str(file))
    return str(next(row["id"] for row in shell.json("workflow", "list") if row["name"] == "Orders"))


def test_a_workflow_goes_live_and_back_by_its_name(shell: Shell, daemon: Daemon, orders: str) -> None:
    assert "Orders is active" in shell("workflow", "activate", "Orders")
    assert daemon.client().post("/webhook/orders", json={"n": 1}).json()[0]["seen"] is True
    shown = shell("workflow", "show", "Orders")
    assert orders in shown
    assert "Mark" in shown
    assert shell.json("workflow", "show", orders)["active"] is True
    shell("workflow", "deactivate", "Orders")
    assert shell.json("workflow", "show", "Orders")["active"] is False


def test_a_name_that_is_nearly_right_is_told(shell: Shell, orders: str) -> None:
    assert "did you mean Orders?" in shell("workflow", "show", "Oders", code=1)
    assert "Did you mean activate" in shell("workflow", "aktivate", "Orders", code=2)
    assert "Did you mean workflow" in shell("worklfow", "list", code=2)


def test_executions_are_listed_watched_and_retried(shell: Shell, orders: str) -> None:
    assert '"status": "success"' in shell("workflow", "run", "Orders", "--input", '{"n": 2}', "--json")
    rows = shell.json("execution", "list", "--workflow", "Orders", "--status", "success")
    assert {row["workflowId"] for row in rows} == {orders}
    assert "Orders" in shell("execution", "list")
    found = rows[0]["id"]
    assert found in shell("execution", "show", found)
    again = shell.json("execution", "retry", found)["executionId"]
    assert shell.json("execution", "watch", again)["status"] == "success"
    assert "jackfield: " in shell("execution", "cancel", again, code=1)
    assert f"{found}: " in shell("execution", "cancel", again, found, code=1)


def test_a_webhook_is_looked_at_and_tried(shell: Shell, daemon: Daemon, orders: str) -> None:
    shell("workflow", "activate", "Orders")
    daemon.client().post("/webhook/orders", json={"n": 3})
    assert "/orders" in shell("webhook", "list", "--active")
    assert shell.json("webhook", "show", "/orders")["workflowName"] == "Orders"
    assert shell.json("webhook", "history", "/orders")[0]["status"] == "success"
    assert shell.json("webhook", "test", "/orders", "--data", '{"n": 4}')["checks"]


def test_a_key_is_made_used_and_revoked(shell: Shell, daemon: Daemon, orders: str) -> None:
    key = shell("api-key", "create", "ci", "--scope", "workflows:read").strip()
    assert shell.json("workflow", "list", JACKFIELD_API_KEY=key)
    refused = shell("workflow", "activate", "Orders", code=1, JACKFIELD_API_KEY=key)
    assert "workflows:" in refused
    assert key not in shell("api-key", "list")
    shell("api-key", "delete", "ci", "--yes")
    assert "api-key create" in shell("variable", "list", code=1, JACKFIELD_API_KEY=key)


def test_a_credential_never_shows_its_secret(shell: Shell) -> None:
    values = json.dumps({"name": "X-Key", "value": SECRET})
    made = shell.json("credential", "create", "httpHeaderAuth", "Key", stdin=values)
    for shown in (
        json.dumps(made), shell("credential", "list"), shell("credential", "show", "Key"),
        shell("credential", "show", "Key", "--json"),
    ):  # fmt: skip
        assert SECRET not in shown
    assert "value" in shell("credential", "kinds", "httpHeaderAuth")
    shell("credential", "change", "Key", "--name", "Other key")
    shell("credential", "delete", "Other key", "--yes")
    assert shell.json("credential", "list") == []


def test_variables_are_set_and_deleted(shell: Shell) -> None:
    shell("variable", "set", "region", "eu")
    shell("variable", "set", "region", "-", stdin="us\n")
    assert [(row["key"], row["value"]) for row in shell.json("variable", "list")] == [("region", "us")]
    shell("variable", "delete", "region", "--yes")
    assert shell.json("variable", "list") == []


def test_tags_group_workflows(shell: Shell, orders: str, tmp_path: Path) -> None:
    file = tmp_path / "tagged.json"
    file.write_text(json.dumps({**chain("Tagged", webhook("tagged")), "tags": ["night"]}), encoding="utf-8")
    shell("workflow", "import", str(file))
    assert shell.json("tag", "create", "day")["name"] == "day"
    assert "already" in shell("tag", "create", "day", code=1)
    assert [row["name"] for row in shell.json("tag", "list")] == ["day", "night"]
    assert [row["name"] for row in shell.json("workflow", "list", "--tag", "night")] == ["Tagged"]
    assert shell.json("workflow", "list", "--tag", "night", "--tag", "day") == []
    shell("tag", "rename", "night", "dusk")
    assert "dusk" in shell("workflow", "show", "Tagged")
    words = {"_JACKFIELD_COMPLETE": "bash_complete", "COMP_WORDS": "jackfield tag delete du", "COMP_CWORD": "3"}
    assert "dusk" in shell(**words)
    assert "did you mean dusk" in shell("tag", "delete", "duks", "-y", code=1)
    shell("tag", "delete", "dusk", "-y")
    assert shell.json("workflow", "show", "Tagged")["tags"] == []
    assert shell.json("tag", "delete", "day", "-y")["deleted"] is True


def test_more_commands_answer_programs(shell: Shell, tmp_path: Path) -> None:
    made = shell.json("user", "add", "eve", "--role", "viewer", stdin="another-horse-battery\n")
    assert (made["username"], made["role"], made["disabled"]) == ("eve", "viewer", False)
    assert shell.json("user", "role", "eve", "member")["role"] == "member"
    assert shell.json("user", "disable", "eve")["disabled"] is True
    assert shell.json("user", "enable", "eve")["disabled"] is False
    assert shell.json("user", "passwd", "eve", stdin="a-third-horse-battery\n")["id"] == made["id"]
    assert [row["username"] for row in shell.json("user", "list")] == ["admin", "eve"]
    assert shell.json("user", "delete", "eve") == {"id": made["id"], "deleted": True}
    assert "Did you mean delete" in shell("user", "delet", "eve", code=2)
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(chain("Json", webhook("json"))), encoding="utf-8")
    bad.write_text("{", encoding="utf-8")
    (told,) = shell.json("workflow", "validate", str(good))
    assert (told["good"], told["workflows"][0]["valid"]) == (True, True)
    (told,) = shell.json("workflow", "import", str(good))
    assert [row["status"] for row in told["results"]] == ["created"]
    (told,) = json.loads(shell("workflow", "import", str(bad), "--json", code=1).partition("\n]")[0] + "\n]")
    assert told["problem"]
    assert shell.json("version").keys() == {"version"}
    assert shell.json("config")["server.host"]
    shell("api-key", "create", "gone")
    assert shell.json("api-key", "delete", "gone", "-y")["revoked"] is True


def test_errors_have_the_codes_of_the_api(shell: Shell, orders: str) -> None:
    def code(*arguments: str, stdin: str = "", **environment: str) -> str:
        last = shell(*arguments, "--json", stdin=stdin, code=1, **environment).splitlines()[-1]
        return str(json.loads(last)["error"]["code"])

    shell("data-table", "create", "Twice", "--column", "item")
    assert code("data-table", "create", "Twice") == "CONFLICT"
    assert code("api-key", "delete", "nobody's") == "ABORTED"
    for wrong in ("http://127.0.0.1:1", "nowhere", "http:///x"):
        assert code("workflow", "list", JACKFIELD_DAEMON_ENDPOINT=wrong) == "DAEMON_ABSENT"
        assert code("data-table", "list", JACKFIELD_DAEMON_ENDPOINT=wrong) == "DAEMON_ABSENT"
    assert "nowhere is no address" in shell("workflow", "list", code=1, JACKFIELD_DAEMON_ENDPOINT="nowhere")


def test_a_workflow_whose_name_has_slashes_runs_by_its_name(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "slashes.json"
    document = chain("Sales/2024/orders", webhook("slashes"), set_fields("Set", done=True))
    file.write_text(json.dumps(document), encoding="utf-8")
    shell("workflow", "import", str(file))
    assert shell.json("workflow", "run", "Sales/2024/orders")["data"][0]["json"]["done"] is True


def test_an_address_without_a_daemon_is_named(shell: Shell) -> None:
    elsewhere = "http://127.0.0.1:1"
    for arguments in (("tag", "list"), ("workflow", "list"), ("terminal", "list"), ("webhook", "list")):
        assert elsewhere in shell(*arguments, code=1, JACKFIELD_DAEMON_ENDPOINT=elsewhere), arguments


def test_deleting_asks_first(shell: Shell, orders: str) -> None:
    shell("workflow", "delete", "Orders", stdin="n\n", code=1)
    assert shell.json("workflow", "show", "Orders")["id"] == orders


def test_a_question_is_listed_shown_and_answered(shell: Shell, daemon: Daemon) -> None:
    fields = {
        "values": [
            {"fieldLabel": "Reason", "requiredField": True},
            {
                "fieldLabel": "Tags",
                "fieldType": "checkbox",
                "multiselect": True,
                "fieldOptions": {"values": [{"option": "a"}, {"option": "b"}]},
            },
        ]
    }
    wait = node(
        "Ask", "wait", {"resume": "form", "formTitle": "Ship [red]it[/red]?", "formFields": fields}, version=1.1
    )
    daemon.live(chain("Asking", webhook("asking"), wait, set_fields("Done", done=True)))
    daemon.client().post("/webhook/asking", json={}).raise_for_status()
    (found,) = poll(lambda: shell.json("approvals", "list", "--kind", "form"), "it waits")
    shown = shell("approvals", "show", found["id"])
    assert "Ship [red]it[/red]?" in shown
    assert "Reason: Reason; text; required" in shown
    assert "Tags: Tags; checkbox; a, b" in shown
    answer = ("approvals", "answer", found["id"])
    assert "fields.Reason" in shell(*answer, code=1)
    assert "no options" in shell(*answer, "yes", code=1)
    told = shell(*answer, "--field", "Reason=a=b", "--field", "Tags=a", "--field", "Tags=b")
    assert told == "The form was sent.\n"
    assert "waits for no answer" in shell(*answer, "--field", "Reason=x", code=1)
    ident = found["executionId"]
    assert shell.json("execution", "watch", ident)["status"] == "success"
    assert '"Tags": ["a", "b"]' in json.dumps(shell.json("execution", "show", ident))


def test_what_an_agent_wants_is_seen_whole(shell: Shell, daemon: Daemon) -> None:
    """No character of it hides another one, and no line of it looks like one of ours."""
    headers, event = asking_headers(daemon.config_dir), asked("ls #\u202e\u200b\x1b[2K\ncut          no")
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(daemon.client(timeout=60).post, ADDRESS, json=event, headers=headers)
        (found,) = poll(lambda: shell.json("approvals", "list", "--kind", "permission"), "it is asked", timeout=20)
        shown = shell("approvals", "show", found["id"])
        assert r'"command": "ls #\u202e\u200b\u001b[2K\ncut          no"' in shown
        assert "allow: Allow" in shown
        told = shell("approvals", "answer", found["id"], "reject", "--note", "Not so.")
        decision = asking.result().json()["hookSpecificOutput"]["decision"]
    assert told == "The answer reject was given.\n"
    assert decision == {"behavior": "deny", "message": "Not so."}
    assert "answered" in shell("approvals", "list", "--state", "all")
    for wrong in ({**event, "tool_name": ["Bash"]}, {**event, "tool_input": "ls"}):
        refused = daemon.client().post(ADDRESS, json=wrong, headers=headers)
        assert refused.status_code == 400


def test_no_session_of_a_command_stays(shell: Shell, daemon: Daemon) -> None:
    shell("variable", "list")
    stored = daemon.config_dir / "sessions.json"
    poll(lambda: not stored.exists() or json.loads(stored.read_bytes()) == {}, "no session is stored")


def test_names_are_completed(shell: Shell, orders: str) -> None:
    words = {"_JACKFIELD_COMPLETE": "bash_complete", "COMP_WORDS": "jackfield workflow show Ord", "COMP_CWORD": "3"}
    assert "Orders" in shell(**words)
    assert "_JACKFIELD_COMPLETE" in shell("completion", "bash")


def test_the_version_is_an_option_as_well(shell: Shell) -> None:
    assert shell("--version") == shell("version")


def test_without_a_daemon_the_remedy_is_told(shell: Shell, tmp_path: Path) -> None:
    empty = str(tmp_path / "none")
    assert "jackfield serve" in shell("execution", "list", code=1, JACKFIELD_CONFIG_DIR=empty)
