"""A stranger's functions for scripts in Rhai, in Code nodes over HTTP."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rhai", reason="rhai-python is not installed")

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node

Install = Callable[..., dict[str, str]]
Strangers = Callable[..., Daemon]
HANGING = """
import time

from jackfield.api.plugin import Plugin, hookimpl
from jackfield.api.scripts import RhaiFunction


class HangingPlugin(Plugin):
    name = "hanging"

    @hookimpl
    def jackfield_rhai_functions(self):
        return [
            RhaiFunction("hanging::wait", 0, lambda: time.sleep(600)),
            RhaiFunction("json::encode", 1, lambda value: "mine"),
            RhaiFunction("text::slug", 1, lambda value: "mine"),
        ]
"""


@pytest.fixture
def hanging(tmp_path: Path) -> str:
    """The place of a distribution whose functions hang, or have names that are taken."""
    place = tmp_path / "hanging"
    information = place / "zz_hanging-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: zz-hanging\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[jackfield]\nhanging = hanging:HangingPlugin\n")
    (place / "hanging.py").write_text(HANGING)
    return str(place)


def ran(daemon: Daemon, code: str) -> tuple[int, str]:
    """Status and text of a run of one Code node."""
    document = chain(
        "rhai", node("Start", "manualTrigger"), node("Code", "code", {"language": "rhai", "rhaiCode": code})
    )
    answer = daemon.admin().post("/workflows/run", json={"workflow": document, "inputData": [{"json": {"n": 1}}]})
    return answer.status_code, answer.text


def test_a_code_node_calls_a_strangers_function(strangers: Strangers) -> None:
    daemon = strangers("rhai-text")
    code = """
        #{ json: #{ slug: text::slug("Hello, World!"), words: text::words("to be"), cut: text::shorten("longer", 4) } }
    """
    status, text = ran(daemon, code)
    assert status == 200, text
    for part in ('"slug":"hello-world"', '"words":["to","be"]', '"cut":"lon\N{HORIZONTAL ELLIPSIS}"'):
        assert part in text


def test_its_mistakes_are_told_with_its_name(strangers: Strangers) -> None:
    daemon = strangers("rhai-text")
    _, text = ran(daemon, "text::slug(5)")
    assert "The function text::slug of the plugin rhai_text failed: TypeError: give a text, not a int" in text
    _, text = ran(daemon, 'text::slug("a", "b")')
    assert "text::slug takes 1 argument, not 2." in text


def test_one_that_hangs_and_names_that_are_taken(strangers: Strangers, install: Install, hanging: str) -> None:
    path = os.pathsep.join([hanging, install("rhai-text")["PYTHONPATH"]])
    daemon = strangers("rhai-text", settings="[executions]\nscript_timeout = 1\n", env={"PYTHONPATH": path})
    _, text = ran(daemon, "hanging::wait()")
    assert "The function hanging::wait of the plugin hanging has not ended." in text
    status, text = ran(daemon, "#{ json: #{ a: json::encode([1]) } }")
    assert (status, '"a":"[1]"' in text) == (200, True)
    listed = daemon.admin().get(f"{daemon.base_url}/api/plugins").json()["data"]
    problems = str(next(entry for entry in listed if entry["name"] == "hanging"))
    assert "rhai function:json::encode comes with Jackfield (rhai)" in problems
    assert daemon.stop() == 0
