"""A daemon with something on every page: profiles of an agent of ours, usage from generated logs, proxies before
providers on loopback, workflows with executions good and bad, webhook calls, a terminal session."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from samples import MARKUP
from upstream import Upstream

from jackfield.api.jsontext import Json
from jackfield.testing import documents
from jackfield.testing.daemon import Daemon, poll

AGENT = """
id = "coder"
name = "Coder"
binary = "coder"
version_flag = "--version"
[detect]
commands = ["coder --version"]
files = []
[profile]
strategy = "home-wrapper"
source_home = "{homes}/{{alias}}"
script = "plain.rhai"
[models]
default = "claude-sonnet-4-5"
supported = ["claude-sonnet-4-5", "claude-haiku-4-5"]
"""
PROVIDER = """
id = "{name}"
name = "{title}"
type = "anthropic-compatible"
[endpoints]
main = "{url}/{name}"
default = "main"
[auth]
required = false
[models]
available = ["claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5", "house-model"]
default = "claude-sonnet-4-5"
"""
PROVIDERS = {"north": "North", "south": "South", "refused": "Refused"}
PROGRAM = r'''#!/usr/bin/env python3
import sys
if "--version" in sys.argv:
    print("1.4.0")
    sys.exit()
out = sys.stdout
bold, dim, green, red, cyan, off = "\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[36m", "\033[0m"
SCREEN = f"""{cyan}╭────────────────────────────────────────────╮
│{off} {bold}Coder{off} 1.4.0   claude-sonnet-4-5            {cyan}│
╰────────────────────────────────────────────╯{off}

{bold}› Why does the invoice test fail on Sundays?{off}

{green}●{off} Read {bold}billing/periods.py{off} {dim}(84 lines){off}
{green}●{off} Ran  {bold}pytest tests/test_periods.py{off}
  {red}1 failed{off}, {green}41 passed{off} {dim}in 0.82 s{off}

  The week starts on Monday here and on Sunday there:

  {red}- start = day - timedelta(day.isoweekday() % 7){off}
  {green}+ start = day - timedelta(day.weekday()){off}

{bold}›{off} """
out.write(SCREEN.replace("\n", "\r\n"))
out.flush()
for line in sys.stdin:
    out.write(f"{green}●{off} {line.strip()}\r\n{bold}›{off} ")
    out.flush()
'''
PRICELESS = "house-model"
MODELS = (("claude-sonnet-4-5", 6), ("claude-opus-4-5", 2), ("claude-haiku-4-5", 3), (PRICELESS, 1))
PROJECTS = ("/home/ada/billing", "/home/ada/web", "/home/ada/notes")
HOSTILE = MARKUP
ASKED: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "ping"}],
}
ROUTING: dict[str, Any] = {
    "strategy": "Conditional",
    "rules": [
        {"name": "long", "priority": 30, "condition": {"type": "token_count", "min": 60000},
         "target": "south/claude-opus-4-5"},
        {"name": "small", "priority": 20, "condition": {"type": "background"}, "target": "south/claude-haiku-4-5"},
        {"name": "tools at night", "priority": 10, "target": "north/claude-sonnet-4-5",
         "condition": {"type": "all", "conditions": [{"type": "has_tools", "min_count": 2},
                                                     {"type": "time", "from": "22:00", "to": "06:00"}]}},
    ],
}  # fmt: skip
CONFIG: dict[str, Any] = {
    "enabled": True,
    "routing": ROUTING,
    "model_aliases": {"quick": "south/claude-haiku-4-5"},
    "providers": {"south": {"max_concurrent": 4, "queue": 64, "queue_timeout": 30}},
    "budgets": {"day": {"usd": 5.0}, "month": {"usd": 60.0, "tokens": 200_000_000}},
}


def claude_log(
    home: Path, *, days: int = 21, seed: int = 7, model: str = "", project: str = "", now: datetime | None = None
) -> Path:
    """A data directory as Claude Code leaves it, the latest answers some minutes old. Returns it."""
    dice = random.Random(seed)
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    for day in range(days):
        where = project or dice.choice(PROJECTS)
        name = f"{seed:04d}{day:04d}-0000-4000-8000-000000000000"
        used = [model] if model else dice.choices([one for one, _ in MODELS], [weight for _, weight in MODELS], k=2)
        begin = now - timedelta(days=day, minutes=70)
        answers = dice.randrange(4, 30)
        lines = [
            _answer(f"{name}-{number}", begin + timedelta(minutes=65) * number / answers, dice, used, where)
            for number in range(answers)
        ]
        file = home / "projects" / where.replace("/", "-").replace('"', "_")[:60] / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return home


def _answer(ident: str, at: datetime, dice: random.Random, models: list[str], project: str) -> dict[str, Any]:
    usage = {
        "input_tokens": dice.randrange(20, 3_000),
        "output_tokens": dice.randrange(100, 4_000),
        "cache_creation_input_tokens": dice.randrange(0, 20_000),
        "cache_read_input_tokens": dice.randrange(10_000, 180_000),
    }
    message = {
        "type": "message",
        "role": "assistant",
        "id": f"msg_{ident}",
        "model": dice.choice(models),
        "usage": usage,
    }
    return {
        "type": "assistant", "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "sessionId": ident.rsplit("-", 1)[0],
        "cwd": project, "requestId": f"req_{ident}", "message": message,
    }  # fmt: skip


class Seeded:
    """A running daemon and the hands that fill it. Everything is asked of the API, as a user's programs would."""

    def __init__(self, directory: Path, *, settings: str = "") -> None:
        self.directory, self.upstream = directory, Upstream()
        program = directory / "bin" / "coder"
        program.parent.mkdir(parents=True)
        program.write_text(PROGRAM.replace("/usr/bin/env python3", sys.executable))
        program.chmod(0o755)
        (directory / "user").mkdir()
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        env = {"HOME": str(directory / "user"), "PATH": path, "ANTHROPIC_API_KEY": None}
        # Logs in the home would be counted while a test looks.
        self.daemon = Daemon(directory, env=env, settings=settings or "[telemetry]\nwatch = false\n")
        self._files()
        self.daemon.start()
        self.api = self.daemon.client()
        self._tokens: dict[str, tuple[str, str]] = {}

    def _files(self) -> None:
        for name, text in {
            "agents.d/coder.toml": AGENT.format(homes=self.directory / "homes"),
            "scripts/plain.rhai": "#{ files: #{}, env: #{}, args: [] }\n",
            **{f"providers.d/{name}.toml": PROVIDER.format(name=name, title=title, url=self.upstream.url)
               for name, title in PROVIDERS.items()},
        }.items():  # fmt: skip
            path = self.daemon.config_dir / name
            path.parent.mkdir(exist_ok=True, mode=0o700)
            path.write_text(text)

    def close(self) -> None:
        self.daemon.close()
        self.upstream.close()

    def data(self, answer: httpx.Response) -> Any:  # Any: JSON
        assert answer.is_success, answer.text
        return answer.json().get("data")

    def profile(self, alias: str, *, model: str = "claude-sonnet-4-5", proxy: dict[str, Any] | None = None) -> str:
        body = {"alias": alias, "agent_id": "coder", "provider_id": "north", "model": model, "proxy_config": proxy}
        self.data(self.api.post("/api/profiles", json=body))
        return alias

    def usage(self, **how: Any) -> str:  # Any: of claude_log
        """Imports a generated log; the API's sentence."""
        place = claude_log(self.directory / f"claude-{how.get('seed', 7)}", **how)
        query = {"agent": "claude", "agent_dir": str(place)}
        return str(self.data(self.api.post("/api/usage/import-agent", params=query)))

    def ask(self, alias: str, **changes: Any) -> httpx.Response:
        """One request through a profile's proxy, which is started for it."""
        self.data(self.api.post(f"/api/proxy/{alias}/start"))  # a test may have stopped it; a running one stays
        if alias not in self._tokens:
            self._tokens[alias] = self._address(alias)
        url, token = self._tokens[alias]
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.post(f"{url}/v1/messages", json={**ASKED, **changes}, headers=headers, trust_env=False, timeout=20)

    def _address(self, alias: str) -> tuple[str, str]:
        program = str(Path(sys.executable).with_name("jackfield"))
        command = [program, "profiles", "env", alias, "--show-secrets", "--config-dir", str(self.daemon.config_dir)]
        told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
        found = dict(line.removeprefix("export ").partition("=")[::2] for line in told.splitlines())
        return found["ANTHROPIC_BASE_URL"].strip("'\""), found["ANTHROPIC_AUTH_TOKEN"].strip("'\"")

    def traffic(self, alias: str) -> None:
        """Requests that each rule takes, one that none does, and one that fails."""
        tools = [{"name": f"tool{number}", "input_schema": {"type": "object"}} for number in range(3)]
        long = [{"role": "user", "content": "a long story about rivers " * 16_000}]
        for changes in (
            {}, {"model": "claude-haiku-4-5"}, {"tools": tools}, {"messages": long}, {"model": "quick"}, {},
            {"model": "claude-haiku-4-5"},
        ):  # fmt: skip
            self.ask(alias, **changes)

    def terminal(self, alias: str) -> str:
        body = {"profile_alias": alias, "cols": 100, "rows": 28}
        return str(self.data(self.api.post("/api/terminal/sessions", json=body))["session_id"])

    def workflows(self) -> None:
        """Three workflows; one is active, called and fails at times."""
        admin = self.daemon.admin()
        self.daemon.live(orders(), admin)
        for number in range(9):
            body = {"order": 1000 + number, "total": 250 * number, "customer": "Ada"}
            self.api.post("/webhook/orders", json=body if number % 4 else {"order": 1000 + number})
        for document in (nightly(), blank()):
            admin.post("/workflows", json=document)

        def over() -> bool:
            found = admin.get("/executions/stats").json()
            return found["total"] >= 9 and not found["running"] and not found["queued"]

        poll(over, "the executions are over", timeout=30)


def orders() -> dict[str, Json]:
    """Large orders one way, small ones the other; one without a customer fails."""
    hook = documents.webhook("orders", responseMode="onReceived")
    known = documents.if_equal("Known customer?", "={{ $json.body.customer }}", "Ada")
    large = documents.node(
        "Is it large?", "if", {"conditions": at_least("={{ $json.body.total }}", 1000), "options": {}}, version=2.2
    )
    tell = documents.set_fields("Tell sales", text="={{ 'Order ' + $json.body.order + ' is large' }}")
    file = documents.set_fields("File it", order="={{ $json.body.order }}", filed=True)
    refuse = documents.node("Refuse", "stopAndError", {"errorMessage": "Nobody knows this customer"}, version=1)
    note = documents.node(
        "Note", "stickyNote", {"content": "## Orders\nLarge ones go to sales.", "width": 260, "height": 120}
    )
    places = ((0, 0), (240, 0), (480, -80), (740, -180), (740, 0), (480, 120), (0, -220))
    parts = (hook, known, large, tell, file, refuse, note)
    for part, (x, y) in zip(parts, places, strict=True):
        part["position"] = [x, y]
    edges = documents.wires(
        ("Webhook", "Known customer?"), ("Known customer?", "Is it large?"), ("Known customer?", "Refuse", 1),
        ("Is it large?", "Tell sales"), ("Is it large?", "File it", 1),
    )  # fmt: skip
    return {"name": "Orders", "nodes": list(parts), "connections": edges, "settings": {}}


def at_least(left: str, right: int) -> Json:
    """Conditions of an IF node."""
    options: Json = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    row: Json = {"id": "a", "leftValue": left, "rightValue": right, "operator": {"type": "number", "operation": "gte"}}
    return {"options": options, "conditions": [row], "combinator": "and"}


def nightly() -> dict[str, Json]:
    rule: Json = {"interval": [{"field": "cronExpression", "expression": "0 3 * * *"}]}
    start = documents.node("Every night", "scheduleTrigger", {"rule": rule}, version=1.2)
    report = documents.set_fields("Report", text="={{ $now.toISO() }}")
    start["position"], report["position"] = [0, 0], [240, 0]
    return {"name": "Nightly report", "nodes": [start, report],
            "connections": documents.wires(("Every night", "Report")), "settings": {}}  # fmt: skip


def blank() -> dict[str, Json]:
    start = documents.node("By hand", "manualTrigger", {}, version=1)
    return {"name": "A draft", "nodes": [start], "connections": {}, "settings": {}}


@contextlib.contextmanager
def seeded(directory: Path, *, full: bool = True) -> Iterator[Seeded]:
    """full: all of it; else profiles `work` and `idle` alone."""
    found = Seeded(directory)
    try:
        found.profile("work", proxy=CONFIG)
        found.profile("idle", proxy={"enabled": False, "routing": {"strategy": "Conditional", "rules": []}})
        if full:
            found.profile("plain")
            found.usage()
            found.workflows()
            found.traffic("work")
            found.terminal("plain")
        yield found
    finally:
        found.close()
