"""A key that its provider refuses is told before the agent starts; whatever else a provider says is the agent's."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from launch_lab import KEY, Lab, provider

from jackfield.api.errors import InvalidInput
from jackfield.testing.clock import FakeClock
from jackfield_profiles.launching.key_check import KeyCheck


class Models:
    """A provider that answers everything with one status. asked: path and credential."""

    def __init__(self) -> None:
        self.status = 400
        self.asked: list[tuple[str, str]] = []
        self.url = ""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append((request.path, request.headers.get("Authorization", "")))
        return web.Response(status=self.status)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
async def models() -> AsyncIterator[Models]:
    made = Models()
    runner = web.ServerRunner(web.Server(made.answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


async def test_only_a_refused_key_refuses(models: Models, lab: Lab) -> None:
    acme = provider(type="anthropic-compatible", endpoints={"main": models.url})
    for status in (200, 400, 403, 404, 429, 500):
        models.status = status
        await KeyCheck(FakeClock(), 5, 60).require(acme, lab.profile, KEY)
    models.status = 401
    with pytest.raises(InvalidInput, match="refuses the key of the profile") as caught:
        await KeyCheck(FakeClock(), 5, 60).require(acme, lab.profile, KEY)
    assert caught.value.code == "KEY_REFUSED"
    assert KEY not in caught.value.message
    assert set(models.asked) == {("/v1/messages", f"Bearer {KEY}")}
    await KeyCheck(FakeClock(), 5, 60).require(acme, lab.profile, None)  # the agent may have a login of its own


async def test_a_good_key_is_asked_about_again_after_a_while(models: Models, lab: Lab) -> None:
    acme = provider(type="openai-compatible", endpoints={"main": models.url + "/v1"})
    clock = FakeClock()
    check = KeyCheck(clock, 5, 60)
    for seconds, asked in ((0, 1), (59, 1), (2, 2)):
        await clock.advance(seconds)
        await check.require(acme, lab.profile, KEY)
        assert len(models.asked) == asked
    await check.require(acme, lab.profile, "another-key")
    assert models.asked[-1] == ("/v1/chat/completions", "Bearer another-key")
    await KeyCheck(clock, 0, 60).require(acme, lab.profile, "a-third-key")
    assert len(models.asked) == 3


async def test_a_provider_that_is_not_there_refuses_nothing(lab: Lab) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        acme = provider(type="anthropic-compatible", endpoints={"main": url})
        await KeyCheck(FakeClock(), 5, 60).require(acme, lab.profile, KEY)


FIRST_START = """
import asyncio, sys, threading
from importlib.abc import MetaPathFinder
from pathlib import Path
from launch_lab import Lab, provider
from jackfield.testing.clock import FakeClock
from jackfield_profiles.launching.launcher import KeyCheck

class Imports(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "aiohttp":
            print("main" if threading.current_thread() is threading.main_thread() else "other")

assert "aiohttp" not in sys.modules
sys.meta_path.insert(0, Imports())
acme = provider(type="anthropic-compatible", endpoints={"main": "http://127.0.0.1:1"})
asyncio.run(KeyCheck(FakeClock(), 5, 60).require(acme, Lab(Path(sys.argv[1])).profile, "key"))
"""


def test_the_first_check_imports_http_on_a_thread(tmp_path: Path) -> None:
    """That reads the system's certificate authorities, and would hold the event loop."""
    lab = str(Path(__file__).parent)
    command = [sys.executable, "-c", FIRST_START, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=lab)
    assert (done.stdout, done.stderr) == ("other\n", "")
