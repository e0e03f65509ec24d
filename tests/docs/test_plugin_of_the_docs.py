"""The plugin that docs/plugins.md builds works: its files are written out, installed, and used through the daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node


@pytest.fixture(scope="module")
def installed(plugin_files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for PYTHONPATH that holds the plugin as an installer would leave it."""
    place = tmp_path_factory.mktemp("site")
    for name, source in plugin_files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    project = tomllib.loads(plugin_files["pyproject.toml"])["project"]
    register(place, project["name"], project["version"], project["entry-points"]["jackfield"])
    return place


def register(place: Path, distribution: str, version: str, points: Mapping[str, str]) -> None:
    """Note a distribution and its entry points, as an installer does."""
    information = place / f"{distribution.replace('-', '_')}-{version}.dist-info"
    information.mkdir(parents=True)
    lines = [f"{name} = {value}" for name, value in points.items()]
    (information / "entry_points.txt").write_text("[jackfield]\n" + "\n".join(lines) + "\n")
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")


@pytest.fixture(scope="module")
def daemon(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    directory = tmp_path_factory.mktemp("daemon")
    found = Daemon(directory, settings='[hello]\ngreeting = "Welcome"\n', env={"PYTHONPATH": str(installed)})
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def run(installed: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("jackfield")
    env = {**os.environ, "PYTHONPATH": str(installed), **environment}
    return subprocess.run([program, *arguments], capture_output=True, text=True, env=env)


def test_it_is_loaded_and_nothing_is_wrong(daemon: Daemon, installed: Path) -> None:
    listed = json.loads(run(installed, "plugins", "--json", "--config-dir", str(daemon.config_dir)).stdout)
    (hello,) = [plugin for plugin in listed if plugin["name"] == "hello"]
    assert (hello["status"], hello["distribution"], hello["version"]) == ("loaded", "jackfield-hello", "1.0")
    assert daemon.client().get("/ready").json()["checks"]["plugins"] == "ok"


def test_its_settings_are_checked(installed: Path, tmp_path: Path) -> None:
    good = run(installed, "config", "--config-dir", str(tmp_path), JACKFIELD_HELLO_GREETING="Hi")
    assert 'greeting = "Hi"' in good.stdout
    bad = run(installed, "config", "--config-dir", str(tmp_path), JACKFIELD_HELLO_GREETING="")
    assert bad.returncode == 1
    assert "hello.greeting" in bad.stderr


def test_its_node_runs(api: httpx.Client) -> None:
    document = chain("greet", node("Start", "manualTrigger"), node("Greet", "hello", {"name": "={{ $json.who }}"}))
    answer = api.post("/workflows/run", json={"workflow": document, "inputData": [{"json": {"who": "Ada"}}]}).json()
    assert answer["data"][0]["json"] == {"who": "Ada", "text": "Welcome, Ada!"}
    failed = api.post("/workflows/run", json={"workflow": document, "inputData": [{"json": {"who": ""}}]}).json()
    assert failed["error"]["message"] == "The name is empty; give one."


def test_its_trigger_starts_live_workflows_also_after_a_restart(daemon: Daemon) -> None:
    document = chain("started", node("On hello", "helloTrigger"), node("Greet", "hello", {"name": "={{ $json.who }}"}))
    daemon.live(document)
    for attempt in ("before", "after"):
        answer = daemon.client().get(f"/hello/{attempt}")
        assert answer.status_code == 202
        (ident,) = answer.json()["data"]["executions"]
        api = daemon.admin()
        found = poll(lambda ident=ident, api=api: finished(api, ident), "the execution is over")
        assert found["mode"] == "trigger"
        assert found["data"][0]["json"]["text"] == f"Welcome, {attempt}!"
        if attempt == "before":
            assert daemon.stop() == 0
            daemon.start()


def finished(api: httpx.Client, ident: str) -> dict[str, object] | None:
    found: dict[str, object] = api.get(f"/executions/{ident}").json()
    return found if found["status"] == "success" else None


def test_its_route_answers_and_is_described(daemon: Daemon) -> None:
    api = daemon.admin()
    assert api.post("/hello", json={"name": "Ada"}).json() == {"text": "Welcome, Ada!", "from": "admin"}
    assert api.post("/hello", json={"name": "Nobody"}).status_code == 404
    assert daemon.client().post("/api/v1/hello", json={"name": "Ada"}).status_code == 401
    described = daemon.client().get("/openapi.json").json()["paths"]
    assert described["/api/v1/hello"]["post"]["summary"] == "Greet somebody"


def test_its_tickets_let_a_viewer_in(daemon: Daemon) -> None:
    anyone = daemon.client()
    wrong = anyone.get("/api/v1/auth/me", headers={"X-Ticket": "00"})
    assert (wrong.status_code, wrong.json()["message"]) == (401, "The ticket is not valid.")
    ticket = FileSecrets(daemon.config_dir, Redactor()).key("ticket").hex()
    right = anyone.get("/api/v1/auth/me", headers={"X-Ticket": ticket})
    assert right.json() == {"id": "ticket", "username": "ticket", "role": "viewer", "method": "ticket"}
    assert anyone.post("/api/v1/workflows", json={}, headers={"X-Ticket": ticket}).status_code == 403


def test_its_command_works_beside_the_daemon(daemon: Daemon, installed: Path) -> None:
    assert run(installed, "hello", "--config-dir", str(daemon.config_dir)).stdout == "Welcome, admin!\n"


def test_another_plugin_fills_its_extension_point(daemon: Daemon, installed: Path, tmp_path: Path) -> None:
    register(tmp_path, "jackfield-loud", "1.0", {"loud": "jackfield_loud:LoudPlugin"})
    path = os.pathsep.join([str(installed), str(tmp_path)])
    shouted = run(installed, "hello", "--config-dir", str(daemon.config_dir), PYTHONPATH=path)
    assert shouted.stdout == "WELCOME, ADMIN!\n"


def test_its_class_is_light(installed: Path) -> None:
    program = (
        "import sys, jackfield_hello;"
        "print([name for name in ('pydantic', 'quart', 'click', 'jackfield.core') if name in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "[]\n"


def test_its_metrics_count_its_tickets(daemon: Daemon) -> None:
    daemon.client().get("/api/v1/auth/me", headers={"X-Ticket": "00"})
    assert "jackfield_hello_tickets_total " in daemon.client().get("/metrics").text


def test_its_sealed_values_are_named_when_no_key_opens_them(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "diary.sealed").write_bytes(b"sealed by nobody")
    (tmp_path / "diary.sealed").chmod(0o600)
    lost = run(installed, "keys", "rotate", "--config-dir", str(tmp_path))
    assert lost.returncode == 1
    assert "diaries: 0 sealed anew" in lost.stdout
    assert "diary.sealed is opened by no key." in lost.stderr


def test_its_key_uses_keep_earlier_keys(installed: Path, tmp_path: Path) -> None:
    run(installed, "keys", "rotate", "--config-dir", str(tmp_path))
    refused = run(installed, "keys", "forget", "--config-dir", str(tmp_path))
    assert refused.returncode == 1
    assert "Tickets count until" in refused.stderr


def test_its_ports_are_chosen_by_name(installed: Path, tmp_path: Path) -> None:
    closed = run(installed, "doctor", "--config-dir", str(tmp_path), JACKFIELD_STORE_NAME="closed")
    assert closed.returncode == 1
    assert "The closed store does not open" in closed.stdout
    idle = run(installed, "plugins", "--json", "--config-dir", str(tmp_path), JACKFIELD_ENGINE_NAME="idle")
    assert {plugin["status"] for plugin in json.loads(idle.stdout)} == {"loaded"}


def test_its_own_tests_pass(installed: Path) -> None:
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(installed), "-o", "asyncio_mode=auto"]
    command = [sys.executable, "-m", "pytest", *options, str(installed / "tests")]
    env = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=installed)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "5 passed" in done.stdout


def test_its_language_shouts(installed: Path) -> None:
    program = (
        "import asyncio; from jackfield_hello.shouting import Shouting; from jackfield.api.scripts import ScriptData;"
        "print(asyncio.run(Shouting().evaluate(['hi', 'you'], ScriptData([]), [0, 1])))"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "[['HI', 'YOU'], ['HI', 'YOU']]\n"


def test_its_strategy_and_its_condition_route(installed: Path) -> None:
    program = (
        "from jackfield_proxy.child.serving.plugins import kinds_of; from jackfield_proxy.plan import PluginSource;"
        "from jackfield.api.proxy import RequestAttributes;"
        "kinds = kinds_of([PluginSource('hello', 'jackfield_hello:HelloPlugin', '')]);"
        "greets = kinds.conditions['greets'];"
        "attributes = RequestAttributes(headers={'x-greeting': 'hi'});"
        "print(kinds.strategy('SHORTEST').name, greets.problem({'type': 'greets'}),"
        " kinds.holds({'type': 'greets', 'words': ['hi']}, attributes))"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "Shortest words must be a list of greetings True\n"
