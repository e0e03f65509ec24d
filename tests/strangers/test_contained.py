"""Strangers that misbehave as much as Python lets them, all at once in one real daemon: it starts, serves, says whose
plugin it is, and stops. Real distributions, found by their entry points."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.hooks import Hooks
from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, webhook

HEAD = """
from __future__ import annotations
import asyncio, time
from quart import Blueprint
from jackfield.api.http import operation
from jackfield.api.plugin import Plugin, hookimpl
from jackfield.api.nodes import NodeDescription, NodeParameters

class Odd(BaseException):
    def __str__(self): raise Odd

class Deaf:
    async def last(self):
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass
"""
ERRORS = {"exit": "SystemExit(3)", "ctrl": "KeyboardInterrupt()", "gen": "GeneratorExit()", "odd": "Odd()"}
SLEEPS = {
    "blocks": "    async def {when}(self): time.sleep(600)\n",
    "blocks_sync": "    def {when}(self): time.sleep(600)\n",
    "spins": "    async def {when}(self):\n        while True: pass\n",
    "deaf": "    async def {when}(self): await Deaf().last()\n",
    "number": "    def {when}(self): return 42\n",
    "cancelled": "    async def {when}(self): raise asyncio.CancelledError\n",
}
NODES = """
class Node:
    versions = (1.0,)
    description = NodeDescription("Mine", "Holds everything up.", "flow")
    effect = False
    def __init__(self, kind, act): self.kind, self.act = kind, act
    def parameters(self, version): return NodeParameters
    def outputs(self, node): return 1
    async def execute(self, run):
        self.act()
        return [run.items]

def leave(error):
    raise error

pages = Blueprint("acme", __name__, url_prefix="/api/v1/acme")

@pages.get("/exit")
@operation("End the daemon", scope=None, response=None, tags=["acme"])
async def exit_view():
    raise SystemExit(3)

async def leaves():
    raise SystemExit(3)

@pages.get("/child")
@operation("End the daemon from a task of its own", scope=None, response=None, tags=["acme"])
async def child_view():
    await asyncio.gather(leaves(), asyncio.sleep(0))

class P(Plugin):
    @hookimpl
    def jackfield_nodes(self):
        return [
            Node("acmeHold", lambda: time.sleep(3)),
            *(Node(f"acme{kind.__name__}", lambda kind=kind: leave(kind())) for kind in
              (SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, Odd)),
        ]

    @hookimpl
    def jackfield_blueprints(self): return [pages]
"""
RAISED = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "CancelledError", "Odd")
WRONG = {
    "a_number": "42",
    "an_object": "object()",
    "nones": "[None]",
    "a_text": "'abc'",
    "endless": "iter(object, 1)",
    "breaks": "(leave() for _ in 'ab')",
    "traps": "[Trap()]",
}
TRAP = """
def leave():
    raise SystemExit(3)

class Trap:
    def __getattribute__(self, name): raise SystemExit(3)
"""
NO_LIST = {"jackfield_store", "jackfield_binary_store", "jackfield_engine", "jackfield_bus"}
SETTINGS = """
[plugins]
startup_timeout = 1.5
[daemon]
loop_held_ms = 200
shutdown_timeout = 3
"""


class Site:
    """A directory of distributions, one per plugin."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()

    def add(self, name: str, source: str) -> None:
        information = self.path / f"acme_{name}-1.0.dist-info"
        information.mkdir()
        (information / "entry_points.txt").write_text(f"[jackfield]\nacme_{name} = acme_{name}:P\n")
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-{name}\nVersion: 1.0\n")
        (self.path / f"acme_{name}.py").write_text(HEAD + source)

    def environment(self) -> dict[str, str]:
        return {"PYTHONPATH": os.pathsep.join([str(self.path), *filter(None, [os.environ.get("PYTHONPATH")])])}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@pytest.fixture
def daemon(tmp_path: Path, site: Site) -> Iterator[Daemon]:
    made = Daemon(tmp_path / "daemon", settings=SETTINGS, env=site.environment())
    yield made
    made.close()


def plugins(daemon: Daemon) -> dict[str, dict[str, str]]:
    listed = daemon.admin().get(f"{daemon.base_url}/api/plugins").raise_for_status().json()["data"]
    return {entry["name"].removeprefix("acme_"): entry for entry in listed}


def doctor(daemon: Daemon) -> str:
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "doctor", "--config-dir", str(daemon.config_dir)]
    done = subprocess.run(command, env=daemon.environment(), capture_output=True, text=True, timeout=120)
    return done.stdout


def test_what_is_no_exception_and_what_never_ends(site: Site, daemon: Daemon) -> None:
    for name, error in ERRORS.items():
        site.add(f"import_{name}", f"raise {error}\n")
        site.add(f"init_{name}", f"class P(Plugin):\n    def __init__(self, context): raise {error}\n")
        site.add(f"hook_{name}", f"class P(Plugin):\n    @hookimpl\n    def jackfield_nodes(self): raise {error}\n")
        site.add(f"start_{name}", f"class P(Plugin):\n    async def start(self): raise {error}\n")
        site.add(f"stop_{name}", f"class P(Plugin):\n    def stop(self): raise {error}\n")
    site.add("import_blocks", "time.sleep(600)\n")
    site.add("hook_blocks", "class P(Plugin):\n    @hookimpl\n    def jackfield_nodes(self): time.sleep(600)\n")
    for name, source in SLEEPS.items():
        site.add(f"start_{name}", "class P(Plugin):\n" + source.format(when="start"))
        site.add(f"stop_{name}", "class P(Plugin):\n" + source.format(when="stop"))
    daemon.start(timeout=90)
    found = plugins(daemon)
    for name, entry in found.items():
        if name.startswith(("import_", "init_", "hook_", "start_")):
            assert entry["status"] == "failed", name
            assert entry["error"], name
    assert "SystemExit: 3" in found["import_exit"]["error"]
    assert "KeyboardInterrupt" in found["hook_ctrl"]["error"]
    assert "Odd (its text raises Odd)" in found["start_odd"]["error"]
    for name in ("import_blocks", "hook_blocks", "start_blocks", "start_blocks_sync", "start_spins"):
        assert "held the daemon's thread for more than 1.5 s" in found[name]["error"], name
    assert "not ended in 1.5 s" in found["start_deaf"]["error"]
    assert found["jackfield" if "jackfield" in found else "engine"]["status"] == "loaded"
    assert not [name for name, entry in found.items() if entry["distribution"] == "jackfield" and entry["error"]]
    assert "plugin acme_start_blocks in the running daemon: failed to start" in doctor(daemon)
    assert daemon.stop(timeout=90) == 0
    output = daemon.tail(1_000_000)
    for name in (*ERRORS, *SLEEPS):
        assert f"Plugin acme_stop_{name} of acme-stop_{name} 1.0: failed to stop" in output, name


def test_wrong_types_from_every_hook_at_once(site: Site, daemon: Daemon) -> None:
    hooks = [name for name in vars(Hooks) if name.startswith("jackfield_")]
    assert len(hooks) > 20
    for name, given in WRONG.items():
        methods = "".join(f"    @hookimpl\n    def {hook}(self): return {given}\n" for hook in hooks)
        methods += "    def start(self): return 42\n    def stop(self): return []\n"
        site.add(name, f"{TRAP}class P(Plugin):\n{methods}")
    daemon.start(timeout=60)
    daemon.live(chain("asked", webhook("asked")))
    assert daemon.client().post(f"{daemon.base_url}/webhook/asked", json={}).status_code == 200
    assert daemon.admin().get(f"{daemon.base_url}/metrics").status_code == 200
    found = plugins(daemon)
    for name in WRONG:
        assert found[name]["status"] == "failed"
        for hook in ("jackfield_nodes", "jackfield_auth_methods", "jackfield_blueprints", "jackfield_metrics"):
            assert f"failed in {hook}" in found[name]["error"], (name, hook, found[name]["error"])
    told = doctor(daemon)
    assert all(f"plugin acme_{name}: its diagnosis failed" in told for name in WRONG), told
    assert daemon.stop() == 0


def test_a_node_that_holds_the_loop_or_wants_to_leave(site: Site, daemon: Daemon) -> None:
    site.add("holder", NODES)
    daemon.start(timeout=60)
    api = daemon.admin()

    def ended(kind: str) -> dict[str, Any]:
        daemon.live(chain(kind, webhook(kind.lower()), node("Mine", kind, {})))
        ident = daemon.client().post(f"{daemon.base_url}/webhook/{kind.lower()}", json={}).json()["executionId"]

        def over() -> dict[str, Any] | None:
            run: dict[str, Any] = api.get(f"/executions/{ident}").raise_for_status().json()
            return run if run["status"] in ("success", "failed", "cancelled") else None

        return poll(over, f"{kind} is over", timeout=20)

    for raised in RAISED:
        run = ended(f"acme{raised}")
        assert run["status"] == "failed"
        assert raised in str(run["error"])
    assert api.get("/acme/exit").status_code == 500
    assert api.get("/acme/child").status_code == 500
    assert ended("acmeHold")["status"] == "success"
    line = "held the event loop for"
    error = poll(lambda: plugins(daemon)["holder"]["error"], "the plugin is named", timeout=10)
    assert line in error
    assert "the node 'Mine' of type acmeHold in the execution" in error
    assert plugins(daemon)["holder"]["status"] == "loaded"
    assert "acme_holder in the running daemon: held the event loop" in doctor(daemon)
    warned = [entry for entry in daemon.tail(1_000_000).splitlines() if "event loop is held" in entry]
    assert len(warned) == 1
    assert "by the plugin acme_holder, the node 'Mine' of type acmeHold" in warned[0]
    assert "acme_holder.py" in warned[0]
    assert daemon.stop() == 0


@pytest.mark.parametrize(
    ("when", "server"), [("import", "auto"), ("start", "auto"), ("start", "hypercorn"), ("ready", "auto")]
)
def test_ctrl_c_ends_it_all_the_same(site: Site, daemon: Daemon, when: str, server: str) -> None:
    began = site.path / "began"
    wait = f"open({str(began)!r}, 'w').close()\n{{0}}for _ in range(1000): time.sleep(0.01)\n"
    if when == "import":
        site.add("slow", wait.format("") + "class P(Plugin): pass\n")
    else:
        body = wait.format("        ") if when == "start" else f"open({str(began)!r}, 'w').close()\n"
        site.add("slow", f"class P(Plugin):\n    def start(self):\n        {body}")
    (daemon.config_dir / "config.toml").write_text(f'[server]\nname = "{server}"\n')
    daemon.start(wait=when == "ready", timeout=60)
    poll(began.exists, "the plugin is asked", timeout=30)
    os.kill(daemon.pid, signal.SIGINT)
    code = daemon.wait(20)
    assert code == (0 if when == "ready" else 1), daemon.tail()
    assert "acme_slow cannot be imported" not in daemon.tail()
