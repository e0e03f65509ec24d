"""`/ws`, the status and the endpoint's file of a real daemon."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from jackfield.api.context import Service
from jackfield.api.records import replace
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.daemon import Daemon, poll
from jackfield_events.endpoint import announce, withdraw
from jackfield_events.status import StatusRoutes


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("events"))
    yield made.start()
    made.close()


def events_of(daemon: Daemon, **options: object) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{daemon.port}/ws", proxy=None, **options)  # type: ignore[arg-type]


def test_an_execution_is_told(daemon: Daemon) -> None:
    with events_of(daemon) as client:
        client.send(json.dumps({"type": "subscribe", "topics": ["workflows"]}))
        assert json.loads(client.recv(5)) == {"type": "subscribed", "topics": ["workflows"]}
        client.send(json.dumps({"type": "ping"}))
        assert json.loads(client.recv(5)) == {"type": "pong"}
        trigger = {"name": "T", "type": "jackfield.manualTrigger", "parameters": {}, "position": [0, 0]}
        document = {"name": "told", "nodes": [trigger], "connections": {}}
        daemon.admin().post("/workflows/run", json={"workflow": document}).raise_for_status()
        seen = [json.loads(client.recv(5)) for _ in range(3)]
    assert [frame["event"]["type"] for frame in seen] == ["execution.started", "execution.nodes", "execution.finished"]
    assert all(set(frame) == {"type", "topic", "event"} for frame in seen)


def test_an_upgrade_is_refused_with_an_answer(daemon: Daemon) -> None:
    for path, headers, status in (
        ("/ws", {"Origin": "http://evil.test"}, 403),
        ("/ws", {"Authorization": "Bearer nonsense"}, 401),
        ("/ws/other", {}, 404),
    ):
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{daemon.port}{path}", proxy=None, additional_headers=headers)
        assert refused.value.response.status_code == status
        assert json.loads(refused.value.response.body)["success"] is False


def test_status_and_endpoint(daemon: Daemon) -> None:
    data = daemon.client().get("/api/daemon/status").json()["data"]
    assert (data["status"], data["pid"], data["active_proxies"]) == ("running", daemon.pid, 0)
    assert isinstance(data["profiles_count"], int)
    assert (daemon.config_dir / "daemon-endpoint").read_text() == f"{daemon.base_url}\n"


def test_the_end(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    try:
        daemon.start()
        with events_of(daemon) as client:
            client.send(json.dumps({"type": "subscribe", "topics": ["system"]}))
            client.recv(5)
            began = time.monotonic()
            assert daemon.stop() == 0
            assert time.monotonic() - began < 10, "the server's pings hold it up"
            assert json.loads(client.recv(5))["event"]["type"] == "system.stopping"
            with pytest.raises(ConnectionClosed) as closed:
                client.recv(5)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1001
        poll(lambda: not (daemon.config_dir / "daemon-endpoint").exists(), "the endpoint is withdrawn")
    finally:
        daemon.close()


# -- without a daemon


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:1"),
        ("0.0.0.0", "http://127.0.0.1:1"),
        ("::", "http://[::1]:1"),
        ("::1", "http://[::1]:1"),
        ("localhost", "http://localhost:1"),
    ],
)
def test_endpoint(host: str, url: str, tmp_path: Path) -> None:
    assert Service(tmp_path, host, 1, "https://public.test", "0", True).local_url == url


async def test_the_file_of_another_daemon_is_left_alone(tmp_path: Path) -> None:
    service = Service(tmp_path, "127.0.0.1", 1, "http://127.0.0.1:1", "0", True)
    await announce(service)
    assert (tmp_path / "daemon-endpoint").stat().st_mode & 0o777 == 0o600
    await withdraw(replace(service, port=2))
    assert (tmp_path / "daemon-endpoint").exists()
    await withdraw(service)
    await withdraw(service)
    assert list(tmp_path.iterdir()) == []


async def test_status_counts(tmp_path: Path) -> None:
    from quart import Quart

    async def all_profiles() -> list[int]:
        return [1, 2]

    clock = FakeClock()
    context = FakeContext(tmp_path, clock=clock)
    views = StatusRoutes(context)
    await clock.advance(61.5)
    async with Quart("test").test_request_context("/"):
        alone = json.loads(await (await views.read()).get_data())["data"]
        context.ports["Profiles"] = SimpleNamespace(all=all_profiles)
        context.ports["Proxies"] = SimpleNamespace(running=lambda: 3)
        data = json.loads(await (await views.read()).get_data())["data"]
    assert (alone["profiles_count"], alone["active_proxies"], alone["uptime_secs"]) == (0, 0, 61)
    assert (data["profiles_count"], data["active_proxies"]) == (2, 3)
    await asyncio.sleep(0)
