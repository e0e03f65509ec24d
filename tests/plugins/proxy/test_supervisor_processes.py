"""Real processes of proxies: start, live changes, crashes, secrets, and what is left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from proxy_lab import ASKED, KEY, Profiles, Provider_, Usage, daemon_of, profile, until

from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield.testing.processes import is_running
from jackfield_proxy.daemon.crashes import Crashes
from jackfield_proxy.daemon.logfile import ProxyLogFile
from jackfield_proxy.daemon.manager import ProxyManager
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.daemon.records import CountedAnswers
from jackfield_proxy.serving import MARKER
from jackfield_proxy.settings import ProxySettings

ALWAYS = {"name": "all", "condition": {"type": "always"}, "target": "north/first", "priority": 0}


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


@pytest.fixture
async def daemon(tmp_path: Path, north: Provider_) -> FakeContext:
    return daemon_of(tmp_path, profile(), profile("off", enabled=False), north=north.url)


@pytest.fixture
async def manager(daemon: FakeContext) -> AsyncIterator[ProxyManager]:
    made = ProxyManager(daemon)
    yield made
    await made.close()


async def ask(manager: ProxyManager, alias: str = "p") -> int:
    found = await manager.address(alias)
    headers = {"x-api-key": found.token}
    url = f"{found.base_url}/v1/messages"
    async with aiohttp.ClientSession(headers=headers) as client, client.post(url, json=ASKED) as answer:
        await answer.read()
        return answer.status


def change(daemon: FakeContext, **config: Any) -> None:
    profiles = cast("Profiles", daemon.ports["Profiles"])
    stored = profiles.stored["p"]
    proxy = {**(stored.proxy_config or {}), **config}
    profiles.stored["p"] = replace(stored, metadata={**stored.metadata, "proxy_config": proxy})


async def test_start_serve_stop(manager: ProxyManager, daemon: FakeContext, north: Provider_) -> None:
    view = await manager.start("p")
    pid = cast("int", view["pid"])
    assert (view["status"], view["restarts"], manager.running()) == ("running", 0, 1)
    assert await ask(manager) == 200
    usage = cast("Usage", daemon.ports["Usage"])
    await until(lambda: usage.entries)
    (entry,) = usage.entries
    assert (entry.agent, entry.answer, entry.provider, entry.profile, entry.model) == (
        "agent", "msg_1", "north", "p", "asked",
    )  # fmt: skip
    assert (entry.tokens.input, entry.tokens.output) == (12, 3)
    assert (await manager.stopped("p"))["status"] == "stopped"
    assert not is_running(pid)
    assert manager.running() == 0
    kinds = [event.type for event in daemon.events.published if event.topic == "proxy"]
    assert kinds.count("proxy_started") == kinds.count("proxy_stopped") == kinds.count("proxy_request") == 1


async def test_secrets_are_in_no_argument_environment_log_or_event(
    manager: ProxyManager, daemon: FakeContext, tmp_path: Path
) -> None:
    view = await manager.start("p")
    token = (await manager.address("p")).token
    await ask(manager)
    log = tmp_path / "logs" / "proxy" / "p.log"
    await until(log.is_file)
    process = Path(f"/proc/{view['pid']}")
    seen = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    seen += b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    seen += repr([event.data for event in daemon.events.published]).encode() + repr(view).encode()
    for secret in (KEY, token):
        assert secret.encode() not in seen
    assert log.stat().st_mode & 0o777 == 0o600


async def test_new_configuration_reaches_the_same_process(
    manager: ProxyManager, daemon: FakeContext, north: Provider_
) -> None:
    view = await manager.start("p")
    await ask(manager)
    change(daemon, routing={"strategy": "Conditional", "rules": [ALWAYS]})
    await manager.of("p").push()
    await ask(manager)
    assert [json.loads(asked.body)["model"] for asked in north.asked] == ["asked", "first"]
    assert (await manager.status("p"))["pid"] == view["pid"]


async def test_another_port_needs_another_process_and_keeps_the_token(
    manager: ProxyManager, daemon: FakeContext
) -> None:
    before = await manager.address("p")
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    change(daemon, port=port)
    await manager.of("p").push()
    after = await manager.address("p")
    assert (after.base_url, after.token) == (f"http://127.0.0.1:{port}", before.token)


async def test_killed_process_is_replaced_under_the_same_address(manager: ProxyManager, north: Provider_) -> None:
    view = await manager.start("p")
    before = await manager.address("p")
    os.kill(cast("int", view["pid"]), signal.SIGKILL)
    supervisor = manager.of("p")
    await until(lambda: supervisor.status == "restarting")
    await until(lambda: supervisor.status == "running")
    assert supervisor.restarts == 1
    assert await manager.address("p") == before
    assert await ask(manager) == 200


async def test_a_start_in_the_pause_after_a_crash_waits_for_the_next_process(manager: ProxyManager) -> None:
    view = await manager.start("p")
    supervisor = manager.of("p")
    os.kill(cast("int", view["pid"]), signal.SIGKILL)
    await until(lambda: supervisor.status == "restarting")
    assert (await manager.start("p"))["status"] == "running"


async def test_a_start_that_waits_can_be_stopped(manager: ProxyManager) -> None:
    view = await manager.start("p")
    supervisor = manager.of("p")
    os.kill(cast("int", view["pid"]), signal.SIGKILL)
    await until(lambda: supervisor.status == "restarting")
    waiting = asyncio.create_task(manager.start("p"))
    await asyncio.sleep(0)
    await manager.stop("p")
    with pytest.raises(JackfieldError, match="was stopped"):
        await waiting
    assert supervisor.status == "stopped"


async def test_request_in_flight_of_a_killed_process_does_not_hang(manager: ProxyManager, north: Provider_) -> None:
    async def mute(_request: Any) -> Any:
        await asyncio.sleep(60)

    north.answer = mute
    view = await manager.start("p")
    waiting = asyncio.create_task(ask(manager))
    await until(lambda: north.asked)
    os.kill(cast("int", view["pid"]), signal.SIGKILL)
    async with asyncio.timeout(5):
        assert await waiting == 502


async def test_taken_port_fails_with_the_reason(manager: ProxyManager, daemon: FakeContext) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        change(daemon, port=taken.getsockname()[1])
        with pytest.raises(JackfieldError, match=r"port \d+ cannot be used") as caught:
            await manager.start("p")
    assert caught.value.status == 500
    assert (await manager.status("p"))["status"] == "failed"
    assert await manager.of("p").tail(5)
    change(daemon, port=None)
    assert (await manager.start("p"))["status"] == "running"


async def test_a_start_past_its_limit_says_so_and_leaves_no_process(
    daemon: FakeContext, manager: ProxyManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon.tables = [ProxySettings(start_timeout=0.2)]
    monkeypatch.setattr(ProxyProcess, "send", lambda _, message: asyncio.sleep(0))  # its plan never comes
    with pytest.raises(JackfieldError, match=r"did not start within 0\.2 s; raise proxy\.start_timeout"):
        await asyncio.wait_for(manager.start("p"), 20)
    shown = await manager.status("p")
    assert (shown["status"], shown["pid"]) == ("failed", None)


async def test_profile_without_a_proxy_cannot_start_one(manager: ProxyManager) -> None:
    with pytest.raises(InvalidInput, match="no proxy"):
        await manager.start("off")


async def test_many_starts_at_once_are_one_process(manager: ProxyManager) -> None:
    views = await asyncio.gather(*(manager.start("p") for _ in range(5)))
    assert len({view["pid"] for view in views}) == 1


async def test_what_ran_is_started_again_with_the_daemon(daemon: FakeContext, tmp_path: Path) -> None:
    first = ProxyManager(daemon)
    pid = cast("int", (await first.start("p"))["pid"])
    await first.close()
    assert not is_running(pid)
    assert json.loads((tmp_path / MARKER).read_text()) == ["p"]
    second = ProxyManager(daemon)
    await second.resume()
    assert (await second.status("p"))["status"] == "running"
    await second.stop("p")
    await second.close()
    assert json.loads((tmp_path / MARKER).read_text()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'["gone"]', b"\xff"])
async def test_damaged_marker_stops_nothing(daemon: FakeContext, tmp_path: Path, content: bytes) -> None:
    (tmp_path / MARKER).write_bytes(content)
    manager = ProxyManager(daemon)
    if content == b'["gone"]':
        cast("Profiles", daemon.ports["Profiles"]).stored["gone"] = profile("gone", enabled=False)
    await manager.resume()
    assert manager.running() == 0


async def test_configuration_that_names_an_unknown_provider_is_refused(manager: ProxyManager) -> None:
    rules: list[Any] = [ALWAYS, {**ALWAYS, "name": "other", "target": "nowhere/m"}]
    with pytest.raises(InvalidInput, match=r"rules\[1\].target: there is no provider nowhere"):
        await manager.configure("p", {"routing": {"rules": rules}, "model_aliases": {"x": "gone/m"}})


# --------------------------------------------------------------------------------------------------------------- pieces


def test_crashes_back_off_and_five_in_a_minute_are_too_many() -> None:
    crashes = Crashes()
    assert [crashes.pause(float(now), 1.0) for now in (0, 2, 5, 10, 20)] == [1, 2, 4, 8, None]
    crashes = Crashes()
    assert [crashes.pause(now * 40.0, 30.0) for now in range(7)] == [1, 2, 4, 8, 16, 30, 30]
    assert crashes.pause(1000.0, 61.0) == 1, "a process that lived for a minute begins anew"


def test_repeated_ids_of_answers_count_each() -> None:
    answers = CountedAnswers()
    assert answers.unique("a", "msg_1", "r1") == "msg_1"
    assert answers.unique("a", "msg_1", "r2") == "msg_1/r2"
    assert answers.unique("b", "msg_1", "r3") == "msg_1"
    assert answers.unique("b", "", "r4") == "r4"


def test_log_is_rotated_and_read_across(tmp_path: Path) -> None:
    log = ProxyLogFile(tmp_path / "proxy" / "p.log", 100)
    for number in range(20):
        log.append([f"line {number} {'x' * 10}"])
    assert [line.split()[1] for line in log.tail(3)] == ["17", "18", "19"]
    sizes = [path.stat().st_size for path in (tmp_path / "proxy").iterdir()]
    assert len(sizes) == 2
    assert max(sizes) < 200
    log.append(["y" * 100_000])
    assert len(log.tail(1)[0]) == 4096


async def test_an_end_is_heard_although_others_hold_the_pipes() -> None:
    """The helpers of a process hold its standard error."""
    script = "import os, subprocess; print(subprocess.Popen(['sleep', '60']).pid, flush=True); os.kill(os.getpid(), 9)"
    pipe = asyncio.subprocess.PIPE
    made = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdin=pipe, stdout=pipe, stderr=pipe)
    assert made.stdout is not None
    helper = int(await made.stdout.readline())
    try:
        async with asyncio.timeout(10):
            assert await ProxyProcess(made).wait() == -signal.SIGKILL
            assert await ProxyProcess(made).wait() == -signal.SIGKILL
    finally:
        os.kill(helper, signal.SIGKILL)
