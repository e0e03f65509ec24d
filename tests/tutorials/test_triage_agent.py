"""The tutorial of the agent, with the real Claude Code and a model server that answers as a model would."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .reader import Reader
from .reading import steps

AGENTS = os.environ.get("JACKFIELD_TEST_AGENTS", "")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "agents"))

from model_server import ModelServer  # noqa: E402
from model_streams import Reply, Used  # noqa: E402

ANSWER = '{"labels": ["bug", "owned-by-a-stranger"], "comment": "add() in sums.py subtracts its arguments."}'
PROVIDER = """
id = "anthropic"
name = "Anthropic"
type = "anthropic"
[endpoints]
api = "{url}"
default = "api"
[auth]
env_key = "ANTHROPIC_API_KEY"
"""


@pytest.fixture
def models() -> Iterator[ModelServer]:
    if not AGENTS:
        pytest.skip("JACKFIELD_TEST_AGENTS names no directory in which npm has installed the agents")
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def equipped(reader: Reader, models: ModelServer) -> Reader:
    """The reader has Claude Code and a key. The model server has Anthropic's address, and lets nothing else out."""
    providers = reader.home / ".config/jackfield/providers.d"
    providers.mkdir(mode=0o700, parents=True)
    (providers / "anthropic.toml").write_text(PROVIDER.format(url=models.url))
    programs = Path(AGENTS).absolute() / "node_modules/.bin"
    web = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), models.url)
    near = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    reader.env |= {**web, **near, "ANTHROPIC_API_KEY": "key-canary-0123456789", "JACKFIELD_PROFILES_KEY_STORE": "file"}
    reader.env["PATH"] += f"{os.pathsep}{programs}"
    return reader


def test_each_step_does_what_the_page_says(equipped: Reader, models: ModelServer) -> None:
    models.replies = [Reply(ANSWER, used=Used(fresh=900, output=40))]
    equipped.follow(steps("triage-agent.md"))
    [asked] = models.served
    assert "Sums are wrong" in str(asked.body)
    assert asked.key == "key-canary-0123456789"
    assert "key-canary" not in equipped.printed()
