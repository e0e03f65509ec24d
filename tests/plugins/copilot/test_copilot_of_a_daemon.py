"""An agent on a draft: its tools, the command, the node, and what it does not reach."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

pytest.importorskip("mcp")
pytest.importorskip("rhai")

PROGRAM = Path(__file__).with_name("mending_agent.py")
MANIFEST = """
id = "mender"
name = "Mender"
binary = "mender"
mcp = ["http"]
[detect]
commands = ["mender --version"]
[profile]
source_home = "HOMES/{alias}"
script = "mender.rhai"
[protocol]
name = "acp"
"""
SCRIPT = '#{ files: #{ "servers.json": json::encode_pretty(ctx.prefs.mcp_servers.custom) }, env: #{}, args: [] }'
CODE = "return [{ json: { total: $input.first().json.body.price.toFixed(2) } }]"
MENDED = CODE.replace("$input.first().json.body.price", "Number($input.first().json.body.price)")
MEND = [
    "change_draft",
    {"operations": [{"op": "update_node", "name": "Sum", "changes": {"parameters": {"jsCode": MENDED}}}]},
]
ALIAS = "mender"


class CopilotLab:
    def __init__(self, place: Path) -> None:
        programs = place / "bin"
        programs.mkdir()
        (programs / "mender").write_text(f'#!/bin/sh\nexec {sys.executable} {PROGRAM} "$@"\n')
        (programs / "mender").chmod(0o755)
        settings = '[profiles]\nkey_store = "file"\n[agent_sessions]\nleave_grace = 0.2\nkill_grace = 0.5\n'
        settings += 'network_sandbox = "off"\n'
        env = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(place)}
        self.daemon = Daemon(place, settings=settings, env=env)
        self.home = place / "homes" / ALIAS
        files = {"agents.d/mender.toml": MANIFEST.replace("HOMES", str(place / "homes")), "scripts/mender.rhai": SCRIPT}
        for name, text in files.items():
            file = self.daemon.config_dir / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        self.client = self.daemon.start().client(timeout=60)
        self.api = self.daemon.admin(timeout=60)
        body = {"agent_id": "mender", "alias": ALIAS, "provider_id": "self", "model": "none"}
        assert self.client.post("/api/profiles", json=body).is_success
        self.home.mkdir(parents=True, exist_ok=True)

    def script(self, *calls: list[Any]) -> None:
        (self.home / "calls.json").write_text(json.dumps(calls))
        (self.home / "told.json").unlink(missing_ok=True)

    def told(self) -> list[Any]:
        file = self.home / "told.json"
        return list(json.loads(poll(lambda: file.exists() and file.read_text(), "the agent has called", timeout=60)))

    def failing(self, name: str, **more: Any) -> tuple[str, str]:
        """The id of a workflow, and of its execution that has failed."""
        hook = webhook(name, responseMode="lastNode")
        document = {**chain(name, hook, node("Sum", "code", {"jsCode": CODE}, version=2)), **more}
        ident = self.api.post("/workflows", json=document).raise_for_status().json()["id"]
        given = {"inputData": [{"json": {"body": {"price": "7"}}}]}
        failed = self.api.post(f"/workflows/{ident}/execute", json=given).raise_for_status().json()
        assert failed["status"] == "failed"
        return str(ident), str(failed["id"])

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        program = str(Path(sys.executable).with_name("jackfield"))
        asked = [program, *args, "--config-dir", str(self.daemon.config_dir)]
        env = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
        return subprocess.run(
            asked, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=90, check=False
        )

    def begin(self, **task: Any) -> httpx.Response:
        return self.client.post("/api/copilot/sessions", json={"profile_alias": ALIAS, **task})


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CopilotLab]:
    made = CopilotLab(tmp_path_factory.mktemp("copilot"))
    yield made
    made.daemon.close()


def content(answer: Any) -> Any:
    return answer["result"]["structuredContent"]["data"]


def test_the_command_mends_and_accepts(lab: CopilotLab) -> None:
    ident, failed = lab.failing("by-command")
    lab.script(["tools", {}], ["explain_draft_failure", {}], MEND, ["permission", {}])
    done = lab.command("copilot", "--profile", ALIAS, "--fix", failed, "--accept", "none")
    assert done.returncode == 3, done.stderr
    assert "I have done it." in done.stdout
    assert "~ node Sum" in done.stdout
    tools, explained, changed, permission = lab.told()
    assert "change_draft" in tools
    assert not [name for name in tools if "workflow" in name or name.endswith(("variables", "profiles", "rows"))]
    assert content(explained)["node"]["name"] == "Sum"
    assert content(changed)["valid"] is True
    assert permission == {"permission": "no"}, "nobody is there who could allow it"
    assert failed in (lab.home / "prompt.txt").read_text()
    assert lab.api.get(f"/workflows/{ident}").json()["version"] == 1

    (row,) = lab.api.get("/drafts", params={"workflowId": ident}).json()["data"]
    assert row["id"] in lab.command("draft", "list").stdout
    assert "parameters.jsCode" in lab.command("draft", "show", row["id"]).stdout
    refused = lab.command("draft", "accept", row["id"])
    assert (refused.returncode, "--all" in refused.stderr) == (1, True)
    accepted = lab.command("draft", "accept", row["id"], "--all")
    assert "Version 2 of by-command" in accepted.stdout, accepted.stderr
    assert lab.api.get(f"/workflows/{ident}").json()["nodes"][1]["parameters"]["jsCode"] == MENDED
    assert lab.command("draft", "discard", row["id"]).returncode == 0

    again = lab.command("copilot", "do it again", "--profile", ALIAS, "--workflow", ident, "--accept", "all", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["changes"] == [], "the workflow has it already"


def test_the_command_lets_a_draft_run(lab: CopilotLab) -> None:
    grow = [{"op": "add_node", "node": webhook("lets-run")}, {"op": "add_node", "node": set_fields("Say", x=1)}]
    wire = {"op": "connect", "source": "Webhook", "target": "Say"}
    lab.script(["change_draft", {"operations": [*grow, wire]}], ["run_draft", {"input": [{"a": 1}]}])
    done = lab.command("copilot", "build it", "--profile", ALIAS, "--accept", "all", "--allow-runs")
    assert done.returncode == 0, done.stderr
    _, ran = lab.told()
    assert content(ran)["execution"]["status"] == "success"
    lab.script(["run_draft", {}])
    done = lab.command("copilot", "run it", "--profile", ALIAS, "--accept", "none")
    (ran,) = lab.told()
    assert content(ran)["state"] == "refused"


def test_what_cannot_begin_leaves_no_draft(lab: CopilotLab) -> None:
    _, failed = lab.failing("no-draft")
    fine = chain("Fine", node("Start", "manualTrigger", {}, version=1), set_fields("Say", x=1))
    other = lab.api.post("/workflows", json=fine).raise_for_status().json()["id"]
    succeeded = lab.api.post(f"/workflows/{other}/execute").raise_for_status().json()["id"]
    before = lab.api.get("/drafts").json()["total"]
    for task, code in (
        ({"action": "build"}, 400),
        ({"action": "fix"}, 400),
        ({"action": "explain"}, 400),
        ({"action": "fix", "execution_id": "nothing"}, 404),
        ({"action": "fix", "execution_id": succeeded}, 400),
        ({"action": "fix", "execution_id": failed, "workflow_id": other}, 400),
        ({"action": "ask", "text": "x", "profile_alias": "nobody"}, 404),
        ({"action": "ask", "text": "x", "working_dir": "/does/not/exist"}, 400),
    ):
        answer = lab.begin(**task)
        assert answer.status_code == code, answer.text
    for alias, servers in (("hides", {"url": "http://127.0.0.1:9/mcp"}), ("without", False)):
        body = {"agent_id": "mender", "alias": alias, "provider_id": "self", "model": "none"}
        more = {"mcp_servers": {"jackfield_tools": servers}}
        lab.client.post("/api/profiles", json={**body, **more}).raise_for_status()
        answer = lab.begin(action="build", text="x", profile_alias=alias)
        assert (answer.status_code, answer.json()["code"]) == (400, "TOOLS_HIDDEN"), answer.text
    assert lab.api.get("/drafts").json()["total"] == before


def test_whoever_talks_to_the_agent_may_read_what_it_reads(lab: CopilotLab) -> None:
    scopes = {"agents:write", "agents:read", "workflows:read", "workflows:write", "executions:read"}
    task = {"profile_alias": ALIAS, "action": "build", "text": "x"}
    for missing in ("workflows:read", "workflows:write", "executions:read", "agents:write"):
        body = {"name": missing, "scopes": sorted(scopes - {missing})}
        key = {"X-API-Key": lab.api.post("/api-keys", json=body).json()["key"]}
        for path, asked in (("", task), ("/any/messages", {"text": "x"})):
            answer = lab.client.post(f"/api/copilot/sessions{path}", json=asked, headers=key)
            assert (answer.status_code, missing in answer.text) == (403, True), answer.text


def test_names_that_an_agent_gives_make_no_lines_and_steer_no_terminal(lab: CopilotLab) -> None:
    name = "\x1b[2JEvil\n+ node Harmless"
    draft = lab.api.post("/drafts", json={"document": chain(name, set_fields(name, x="\x9b2J"))}).json()
    shown = lab.command("draft", "show", draft["id"])
    assert shown.returncode == 0, shown.stderr
    assert not {"\x1b", "\x9b"} & set(shown.stdout)
    assert not [line for line in shown.stdout.splitlines() if line.startswith("+ node Harmless")]
    accepted = lab.command("draft", "accept", draft["id"], "--all")
    assert "\x1b" not in accepted.stdout + accepted.stderr
    assert lab.command("draft", "discard", draft["id"]).returncode == 0


def test_an_agent_reaches_no_other_execution_and_no_other_draft(lab: CopilotLab) -> None:
    _, foreign = lab.failing("foreign")
    ident, failed = lab.failing("own")
    other = lab.api.post("/drafts", json={"workflowId": ident}).raise_for_status().json()
    lab.script(
        ["get_draft_execution", {"execution_id": foreign}],
        ["explain_draft_failure", {"execution_id": foreign}],
        ["get_draft_costs", {"execution_id": foreign}],
        ["get_draft", {"draft_id": other["id"]}],
        ["get_draft_costs", {"execution_id": failed}],
        ["activate_workflow", {"workflow_id": ident}],
        ["list_draft_credentials", {}],
    )
    begun = lab.begin(action="fix", execution_id=failed).raise_for_status().json()["data"]
    first, second, third, fourth, own, sixth, credentials = lab.told()
    for refused in (first, second, third, fourth):
        assert refused["result"]["isError"], refused
    assert content(own)["executions"][0]["id"] == failed
    assert "Unknown tool" in sixth["error"]["message"]
    assert content(credentials) == {"credentials": [], "total": 0}

    session = f"/api/copilot/sessions/{begun['session']['id']}"
    shown = poll(
        lambda: (one := lab.client.get(session).json()["data"])["session"]["state"] == "idle" and one, "it is idle"
    )
    assert shown["draft_id"] == begun["draft_id"]
    lab.script(MEND)
    assert lab.client.post(f"{session}/messages", json={"action": "ask", "text": "Now mend it."}).is_success
    lab.told()
    assert (lab.home / "prompt.txt").read_text() == "Now mend it."
    changes = lab.api.get(f"/drafts/{begun['draft_id']}").json()["changes"]
    assert [one["label"] for one in changes] == ["Sum"]
    for execution, code in ((foreign, 400), ("nothing", 404)):
        answer = lab.client.post(f"{session}/messages", json={"action": "fix", "execution_id": execution})
        assert answer.status_code == code, answer.text
    lab.client.delete(f"/api/agent-sessions/{begun['session']['id']}")
    lines = [str(line["message"]) for line in lab.daemon.logs() if begun["draft_id"] in str(line)]
    called = [line for line in lines if "change_draft" in line]
    assert len(called) == 1, "each call is told once, with its draft"
    assert called[0].startswith("MCP: ")
    assert lab.api.get(f"/drafts/{other['id']}").json()["revision"] == 1


def test_an_error_workflow_gets_a_draft(lab: CopilotLab) -> None:
    lab.script(["tools", {}], ["permission", {}], ["explain_draft_failure", {}], MEND)
    mend = {"name": "Mend", "type": "jackfield.mendWithAgent", "typeVersion": 1, "position": [0, 0]}
    document = chain(
        "Mends", node("On error", "errorTrigger", {}, version=1), {**mend, "parameters": {"profile": ALIAS}}
    )
    handler = lab.api.post("/workflows", json=document).raise_for_status().json()["id"]
    lab.api.post(f"/workflows/{handler}/activate")
    hook = webhook("handed", responseMode="onReceived")
    broken = chain("handed", hook, node("Sum", "code", {"jsCode": CODE}, version=2))
    ident = lab.daemon.live({**broken, "settings": {"errorWorkflow": handler}})
    assert lab.daemon.client().post("/webhook/handed", json={"price": "7"}).is_success
    query = {"workflowId": handler}
    ran = poll(
        lambda: next(
            (one for one in lab.api.get("/executions", params=query).json()["data"] if one["status"] != "running"), None
        ),
        "the error workflow has run",
        timeout=60,
    )
    whole = lab.api.get(f"/executions/{ran['id']}").json()
    assert whole["status"] == "success", whole["error"]
    (item,) = whole["nodes"]["Mend"][0]["outputs"][0]
    assert (item["json"]["workflowId"], item["json"]["changeCount"], item["json"]["answer"]) == (
        ident,
        1,
        "I have done it.",
    )
    tools, permission, _, _ = lab.told()
    assert "run_draft" not in tools, "nobody could allow it"
    assert permission == {"permission": "no"}
    assert "run_draft" not in (lab.home / "prompt.txt").read_text()
    (row,) = lab.api.get("/drafts", params={"executionId": item["json"]["executionId"]}).json()["data"]
    assert (row["id"], row["origin"]["kind"]) == (item["json"]["draftId"], "execution")
    now = lab.api.get(f"/workflows/{ident}").json()
    assert (now["version"], now["active"]) == (1, True)

    lab.script(["tools", {}])
    assert lab.daemon.client().post("/webhook/handed", json={"price": "8"}).is_success
    again = poll(
        lambda: [one for one in lab.api.get("/executions", params=query).json()["data"] if one["status"] != "running"][
            :-1
        ],
        "the error workflow has run once more",
        timeout=60,
    )
    (given,) = lab.api.get(f"/executions/{again[0]['id']}").json()["nodes"]["Mend"][0]["outputs"][0]
    assert (given["json"]["draftId"], given["json"]["answer"]) == (row["id"], "")
    assert not (lab.home / "told.json").exists(), "no agent was started while the draft waits"
