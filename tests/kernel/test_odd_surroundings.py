"""What goes wrong around the kernel: odd files, odd settings, odd plugins, odd texts in logs, failing starts."""

from __future__ import annotations

import json
import logging
import queue
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.http_client import is_loopback
from jackfield.api.settings import SettingsTable
from jackfield.core.logs import JsonLines, Logs, Readable, _Bounded
from jackfield.core.plugins import PluginHost
from jackfield.core.redaction import HIDDEN, Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.core.settings import load
from jackfield.core.tables import CORE_TABLES, CorsSettings, LogSettings, ServerSettings, StoreSettings
from jackfield.http.app import Application, create_app, daemon_token
from jackfield.http.server import run

from .conftest import FakePlugin, FakeStore, MakeKernel, a_plugin


@pytest.mark.parametrize("name", ["daemon-token", "keys/jwt.key", "keys", "logs", "logs/jackfield.log"])
@pytest.mark.parametrize("obstacle", ["link", "other"])
def test_what_stands_in_a_private_files_place_is_named(tmp_path: Path, name: str, obstacle: str) -> None:
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True)
    if obstacle == "link":
        place.symlink_to("/etc/hostname")
    elif "." in name or "-" in name:
        place.mkdir()
    else:
        place.write_text("")
    uses = {
        "daemon-token": lambda: daemon_token(tmp_path),
        "keys": lambda: FileSecrets(tmp_path, Redactor()).key("jwt"),
        "logs": lambda: Logs(tmp_path, LogSettings(), Redactor()),
    }
    with pytest.raises(ConfigurationError, match=re.escape(str(place))):
        uses[name.partition("/")[0]]()


def test_every_key_is_looked_at(tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path, Redactor())
    secrets.check()
    secrets.seal(b"value")
    secrets.check()
    (tmp_path / "keys" / "encryption.key").write_bytes(b"")
    with pytest.raises(ConfigurationError, match=r"encryption\.key is damaged"):
        secrets.check()


@pytest.mark.parametrize("content", [b"", b"x", b"jf_dt_"])
def test_a_damaged_daemon_token_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "daemon-token").write_bytes(content)
    with pytest.raises(ConfigurationError, match="daemon-token is damaged"):
        daemon_token(tmp_path)


def test_a_misspelt_table_is_listed_even_if_it_begins_like_a_known_one() -> None:
    tables = [SettingsTable("security.cors", CorsSettings)]
    assert load(tables, {"security": {"co": {"enabled": True}, "cors": {}}}, {}, {}).unknown_tables == ["security.co"]


def test_variables_that_nobody_knows_are_listed() -> None:
    given = {"JACKFIELD_SECURITY_COR_ENABLED": "true", "JACKFIELD_CONFIG_DIR": "/x", "JACKFIELD_SERVER_PORT": "80"}
    assert load(CORE_TABLES, {}, given, {}).unknown_variables == ["JACKFIELD_SECURITY_COR_ENABLED"]


def test_a_text_that_looks_like_json_stays_a_text() -> None:
    assert load(CORE_TABLES, {}, {"JACKFIELD_STORE_NAME": '{"a": 1}'}, {}).get(StoreSettings).name == '{"a": 1}'


@pytest.mark.parametrize("host", ["127.evil.test", "127.0.0.1.evil.test", "0.0.0.0", "::", "", "127.1"])
def test_what_is_no_loopback_address(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_what_is_a_loopback_address(host: str) -> None:
    assert is_loopback(host)


@given(st.text(min_size=6, max_size=40), st.sampled_from([str, repr, lambda s: json.dumps(s), quote]))
def test_an_escaped_secret_is_hidden_too(secret: str, escape: Callable[[str], str]) -> None:
    redact = Redactor()
    redact.add(secret)
    written = escape(secret)
    assert HIDDEN in redact(f"<{written}>")
    assert len(redact(f"<{written}>")) <= len(HIDDEN) + 4


def test_a_secret_is_hidden_in_a_line_whatever_it_is_made_of() -> None:
    redact = Redactor()
    redact.add('pa"ss\\word', "message")
    record = logging.makeLogRecord(
        {"msg": 'x pa"ss\\word', "levelname": "INFO", "name": "n", "more": ['pa"ss\\word', 1]}
    )
    line = orjson.loads(JsonLines(redact).format(record))
    assert (line["message"], line["more"]) == (f"x {HIDDEN}", [HIDDEN, 1])


def test_no_control_character_reaches_the_terminal() -> None:
    record = logging.makeLogRecord({"msg": "a\x1b]0;x\x07\x9bb\r", "levelname": "INFO"})
    assert Readable(Redactor()).format(record).endswith(r"a\x1b]0;x\x07\x9bb\x0d")


def test_the_request_that_a_line_names_beats_the_present_one() -> None:
    lines: queue.Queue[logging.LogRecord] = queue.Queue(2)
    handler = _Bounded(lines)
    for number in range(4):
        handler.handle(logging.makeLogRecord({"msg": f"line {number}", "requestId": "r7", "levelno": logging.INFO}))
    assert lines.get_nowait().requestId == "r7"  # type: ignore[attr-defined]
    lines.get_nowait()
    handler.handle(logging.makeLogRecord({"msg": "line 5", "levelno": logging.INFO}))
    assert [lines.get_nowait().getMessage() for _ in range(2)] == ["2 log lines were lost.", "line 5"]


class _Point:
    """An entry point."""

    name, value, dist = "leaving", "leaving:it", None

    def load(self) -> object:
        raise SystemExit(3)


def test_a_plugin_that_leaves_at_import_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield.core.plugins.entry_points", lambda group: [_Point()])
    host = PluginHost()
    host.discover()
    assert [(found.name, "SystemExit" in found.error) for found in host.failures()] == [("leaving", True)]


@pytest.mark.parametrize("hook", ["nodes", "triggers", "auth_methods", "asgi"])
@pytest.mark.parametrize("given", [5, [None], "generator"])
def test_what_a_plugin_may_not_give_is_its_failure(make_kernel: MakeKernel, hook: str, given: object) -> None:
    def broken() -> Iterator[object]:
        raise RuntimeError("boom")
        yield

    def implementation() -> object:
        return broken() if given == "generator" else given

    plugin = a_plugin(**{f"jackfield_{hook}": implementation})
    kernel = make_kernel({}, FakePlugin, plugin)
    assert [found.name for found in kernel.plugins.failures()] == ["fake1"]


class _Lifespan:
    """Speaks the ASGI lifespan to the application."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def receive(self) -> dict[str, object]:
        return {"type": "lifespan.startup"}

    async def send(self, message: Any) -> None:
        self.sent.append(message["type"])


@pytest.mark.parametrize("error", [StoreUnavailable("The database is locked."), RuntimeError("boom")])
async def test_a_start_that_fails_ends_the_daemon(
    make_kernel: MakeKernel, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def fail(self: object) -> None:
        raise error

    monkeypatch.setattr(FakeStore, "open", fail)
    app = create_app(make_kernel())
    server = _Lifespan()
    await app({"type": "lifespan"}, server.receive, server.send)
    assert server.sent == ["lifespan.startup.failed"]
    assert app.lifespan.failure is not None
    assert "boom" not in app.lifespan.failure.message


@pytest.mark.parametrize("ending", [SystemExit(3), RuntimeError("startup"), None])
def test_the_reason_of_a_failed_start_is_told_whatever_the_server_does(
    make_kernel: MakeKernel, monkeypatch: pytest.MonkeyPatch, ending: BaseException | None
) -> None:
    async def runner(app: Application, sock: socket.socket, settings: ServerSettings) -> None:
        app.lifespan.failure = StoreUnavailable("The database is locked.")
        if ending is not None:
            raise ending

    monkeypatch.setattr("jackfield.http.server.runner_of", lambda name: runner)
    with socket.socket() as sock, pytest.raises(StoreUnavailable, match="locked"):
        run(create_app(make_kernel()), sock)


def test_a_secret_that_is_known_costs_nothing_again() -> None:
    redactor = Redactor()
    redactor.add("first-secret")
    assert redactor("first-secret second-secret") == f"{HIDDEN} second-secret"
    made = redactor._pattern
    redactor.add("first-secret")
    assert redactor._pattern is made
    redactor.add("second-secret")
    assert redactor("first-secret second-secret") == f"{HIDDEN} {HIDDEN}"
