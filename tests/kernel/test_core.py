"""Settings, plugins, redaction, logs, lock, secrets, events."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import stat
from pathlib import Path
from typing import cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.plugin import OutsideContext, Plugin
from jackfield.api.settings import SettingsTable
from jackfield.api.storage import Store
from jackfield.core.events import QUEUE, LossyEventBus
from jackfield.core.line_limit import KINDS, LINES, WINDOW, LineLimit
from jackfield.core.logs import CHATTY, Logs, request_id
from jackfield.core.plugins import PluginHost
from jackfield.core.process.lock import DirectoryLock
from jackfield.core.redaction import HIDDEN, Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.core.settings import keys, load, read_toml, snake
from jackfield.core.tables import CORE_TABLES, LogSettings, ServerSettings
from jackfield.testing.clock import FakeClock

from .conftest import FakePlugin, MakeKernel, a_plugin


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    max_calls: int = Field(5, description="Calls.")


class Demo(BaseModel):
    model_config = ConfigDict(extra="forbid")
    response_timeout: float = Field(300, description="Seconds.", gt=0)
    names: list[str] = Field(default_factory=list, description="Names.")
    token: str = Field("", description="Token.", json_schema_extra={"secret": True})
    history: Inner = Field(default_factory=Inner, description="History.")


DEMO = SettingsTable("demo", Demo)


def demo(
    file: dict[str, object] | None = None, env: dict[str, str] | None = None, line: dict[str, str] | None = None
) -> Demo:
    return load([*CORE_TABLES, DEMO], file or {}, env or {}, line or {}).get(Demo)


def test_the_command_line_beats_the_environment_beats_the_file() -> None:
    file = {"demo": {"response_timeout": 1}}
    env = {"JACKFIELD_DEMO_RESPONSE_TIMEOUT": "2"}
    assert demo(file).response_timeout == 1
    assert demo(file, env).response_timeout == 2
    assert demo(file, env, {"demo.response_timeout": "3"}).response_timeout == 3


def test_nested_keys_and_lists_from_the_environment() -> None:
    found = demo(env={"JACKFIELD_DEMO_HISTORY_MAX_CALLS": "9", "JACKFIELD_DEMO_NAMES": "a, b"})
    assert (found.history.max_calls, found.names) == (9, ["a", "b"])
    assert demo(env={"JACKFIELD_DEMO_NAMES": '["x,y"]'}).names == ["x,y"]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ({"demo": {"response_timeout": "soon"}}, "demo.response_timeout"),
        ({"demo": {"response_timeout": 0}}, "demo.response_timeout"),
        ({"demo": {"respnse_timeout": 1}}, "demo.respnse_timeout: there is no such setting"),
        ({"demo": 5}, "[demo] must be a table"),
        ({"port": 5}, "port: there is no such setting"),
        (
            {"security": {"cors": {"enabled": True, "allowed_origins": ["*"], "allow_credentials": True}}},
            "security.cors",
        ),
    ],
)
def test_a_mistake_names_its_key(file: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        demo(file)
    assert words in caught.value.message


def test_a_mistake_never_quotes_the_value() -> None:
    with pytest.raises(ConfigurationError) as caught:
        demo({"demo": {"token": ["s3cret-value"]}})
    assert "s3cret-value" not in caught.value.message


def test_an_unknown_setting_on_the_command_line() -> None:
    with pytest.raises(ConfigurationError, match=r"demo\.nope: there is no such setting"):
        demo(line={"demo.nope": "1"})


def test_tables_that_nobody_knows_are_listed() -> None:
    assert load(CORE_TABLES, {"other": {"a": {"x": 1}}}, {}, {}).unknown_tables == ["other.a"]


def test_a_table_of_values_is_listed_by_its_own_name() -> None:
    assert load(CORE_TABLES, {"sever": {"port": 1, "host": "x"}}, {}, {}).unknown_tables == ["sever"]


def test_a_misspelt_setting_gets_a_hint() -> None:
    with pytest.raises(ConfigurationError, match=r"server\.prot: there is no such setting; did you mean server\.port"):
        load(CORE_TABLES, {"server": {"prot": 1}}, {}, {})


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"a = 1 #\xff")
    with pytest.raises(ConfigurationError, match=r"is not UTF-8 text \(at byte 7\)"):
        read_toml(tmp_path / "config.toml")


def test_bad_toml_is_a_configuration_error(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert read_toml(path) == {}
    path.write_text("a = [")
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        read_toml(path)


def test_a_config_toml_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("a = " + "[" * 5000)
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        read_toml(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ConfigurationError, match="is no file"):
        read_toml(path)


def test_every_core_key_is_described_and_has_its_own_environment_name() -> None:
    found = [key for table in CORE_TABLES for key in keys(table.path, table.model)]
    assert all(key.field.description for key in found)
    assert len({key.environment for key in found}) == len(found)
    assert snake("webhooks.rateLimit.maxAgeDays") == "webhooks_rate_limit_max_age_days"


# -------------------------------------------------------------------------------------------------------------- plugins


def test_a_raising_plugin_is_reported_and_the_rest_works(make_kernel: MakeKernel) -> None:
    def jackfield_nodes() -> list[object]:
        raise RuntimeError("boom")

    kernel = make_kernel({}, FakePlugin, a_plugin(jackfield_nodes=jackfield_nodes))
    (failed,) = kernel.plugins.failures()
    assert (failed.name, "boom" in failed.error) == ("fake1", True)
    assert kernel.ports.get(Store) is not None


def test_strict_plugins_are_fatal() -> None:
    def jackfield_nodes() -> list[object]:
        raise RuntimeError("boom")

    host = PluginHost(strict=True)
    host.add("bad", a_plugin(jackfield_nodes=jackfield_nodes))
    host.bind(lambda name: cast("PluginContext", OutsideContext(name)))
    with pytest.raises(ConfigurationError, match="boom"):
        list(host.call("jackfield_nodes"))


def test_a_misspelt_hook_is_reported() -> None:
    host = PluginHost()

    def jackfield_nodez() -> list[object]:
        return []

    host.add("bad", a_plugin(jackfield_nodez=jackfield_nodez))
    host.bind(lambda name: cast("PluginContext", OutsideContext(name)))
    assert "jackfield_nodez" in host.failures()[0].error


def test_a_configuration_error_of_a_plugin_stops_the_start(make_kernel: MakeKernel) -> None:
    def jackfield_auth_methods() -> list[object]:
        raise ConfigurationError("security.jwt.secret must have at least 32 bytes.")

    with pytest.raises(ConfigurationError, match="32 bytes"):
        make_kernel({}, FakePlugin, a_plugin(jackfield_auth_methods=jackfield_auth_methods))


async def test_a_plugin_gets_its_own_context_and_its_start_may_be_async(make_kernel: MakeKernel) -> None:
    seen: list[str] = []

    async def start(plugin: Plugin) -> None:
        seen.append(f"start {plugin.context.name} {plugin.context.store.name}")

    def stop(plugin: Plugin) -> None:
        seen.append(f"stop {plugin.context.name}")

    kernel = make_kernel({}, FakePlugin, a_plugin(start=start, stop=stop))
    await kernel.start()
    await kernel.stop()
    assert seen == ["start fake1 sqlite", "stop fake1"]


async def test_an_open_bind_without_users_refuses_to_start(make_kernel: MakeKernel) -> None:
    kernel = make_kernel({"server": {"host": "0.0.0.0"}})
    with pytest.raises(ConfigurationError, match="jackfield user add"):
        await kernel.start()


# --------------------------------------------------------------------------------------------------- secrets and logs


@given(st.text(min_size=6, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_registered_values_are_hidden_wherever_they_stand(secret: str, before: str, after: str) -> None:
    redact = Redactor()
    redact.add(secret)
    assert secret not in redact(f"{before}{secret}{after}").replace(HIDDEN, "") or secret in before + after + HIDDEN


def test_the_redactor_is_bounded_and_knows_our_own_forms() -> None:
    redact = Redactor()
    redact.add("first-secret")
    redact.add(*(f"secret-{n:06}" for n in range(5000)))
    assert redact("first-secret") == "first-secret"
    assert redact("secret-004999") == HIDDEN
    key = "jf_sk_" + "A" * 43
    assert (
        redact(f"X-API-Key: {key}, Authorization: Bearer abcdefgh.ij")
        == f"X-API-Key: {HIDDEN}, Authorization: {HIDDEN}"
    )


def test_at_debug_libraries_do_not_tell_what_they_sign(tmp_path: Path) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    logs = Logs(tmp_path, LogSettings(level="debug"), Redactor())
    try:
        logging.getLogger("oauthlib.oauth1.rfc5849").debug("Signing: %s", "a-parameter")
        logging.getLogger("jackfield.test").debug("another line")
    finally:
        logs.stop()
        root.handlers[:] = before
        root.setLevel(level)
    text = (tmp_path / "logs" / "jackfield.log").read_text()
    assert "another line" in text
    assert "a-parameter" not in text


def test_lines_that_callers_cause_are_few_and_counted(tmp_path: Path) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    logs = Logs(tmp_path, LogSettings(), Redactor())
    try:
        for number in range(500):
            logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
            logging.getLogger("uvicorn.error").info('%s - "WebSocket %s" refused', number, "/ws")
            logging.getLogger("jackfield.test").info("a line of ours")
    finally:
        logs.stop()
        root.handlers[:] = before
        root.setLevel(level)
    text = (tmp_path / "logs" / "jackfield.log").read_text()
    assert text.count("Invalid HTTP request received.") == LINES
    assert text.count("refused") == LINES
    assert text.count("a line of ours") == 500
    assert not any(logging.getLogger(name).filters for name in CHATTY)


async def test_the_next_line_of_a_kind_says_how_many_were_left_out() -> None:
    clock = FakeClock()
    limit = LineLimit(clock)
    assert [limit.added("a") for _ in range(LINES + 7)] == [""] * LINES + [None] * 7
    assert limit.added("b") == ""
    await clock.advance(WINDOW)
    assert limit.added("a") == " (7 more lines of this kind were left out.)"
    assert limit.added("a") == ""


def test_kinds_of_lines_are_forgotten() -> None:
    limit = LineLimit(FakeClock())
    for number in range(3 * KINDS):
        for _ in range(LINES + 1):
            limit.added(str(number))
    assert len(limit._left_out) <= KINDS


def test_log_lines_are_json_without_secrets_and_with_the_request_id(tmp_path: Path) -> None:
    redact = Redactor()
    redact.add("hunter2-hunter2")
    before = logging.getLogger().handlers[:]
    logs = Logs(tmp_path, LogSettings(), redact)
    try:
        request_id.set("r1")
        try:
            raise ValueError("hunter2-hunter2")
        except ValueError:
            logging.getLogger("jackfield.test").exception("with %s", "hunter2-hunter2", extra={"execution": "e1"})
    finally:
        request_id.set("")
        logs.stop()
        logging.getLogger().handlers[:] = before
    file = tmp_path / "logs" / "jackfield.log"
    line = orjson.loads(file.read_bytes())
    assert (line["level"], line["requestId"], line["execution"]) == ("error", "r1", "e1")
    assert b"hunter2" not in file.read_bytes()
    assert "ValueError" in line["exception"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_keys_are_made_once_and_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        key = FileSecrets(tmp_path, Redactor()).key("jwt")
    finally:
        os.umask(old)
    assert len(key) == 32
    assert FileSecrets(tmp_path, Redactor()).key("jwt") == key
    assert stat.S_IMODE((tmp_path / "keys" / "encryption.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_a_damaged_key_is_named(tmp_path: Path) -> None:
    FileSecrets(tmp_path, Redactor()).key("jwt")
    (tmp_path / "keys" / "encryption.key").write_bytes(b"short")
    with pytest.raises(ConfigurationError, match=r"encryption\.key is damaged"):
        FileSecrets(tmp_path, Redactor()).key("jwt")


def test_every_flipped_bit_of_a_key_is_named_and_no_other_key_is_made(tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path, Redactor())
    key = secrets.key("jwt")
    path = tmp_path / "keys" / "encryption.key"
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            with pytest.raises(ConfigurationError, match=r"encryption\.key is damaged"):
                secrets.check()
            with pytest.raises(ConfigurationError, match=r"encryption\.key is damaged"):
                FileSecrets(tmp_path, Redactor()).key("jwt")
            assert path.read_bytes() == flipped
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with contextlib.suppress(ConfigurationError):
            secrets.check()
            assert FileSecrets(tmp_path, Redactor()).key("jwt") == key
            assert size in (44, 45), "the key itself is whole"


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_key_of_ones_own_needs_no_mark(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    (tmp_path / "keys" / "encryption.key").write_bytes(base64.b64encode(b"k" * 32) + end)
    secrets = FileSecrets(tmp_path, Redactor())
    secrets.check()
    assert secrets.ring.current().raw == b"k" * 32


def test_sealed_values_open_again_and_only_with_the_key(tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path / "a", Redactor())
    sealed = secrets.seal(b"value")
    assert secrets.open(sealed) == b"value"
    assert b"value" not in sealed
    with pytest.raises(ValueError, match="another key"):
        FileSecrets(tmp_path / "b", Redactor()).open(sealed)


def test_a_second_lock_names_the_holder(tmp_path: Path) -> None:
    first = DirectoryLock(tmp_path)
    first.acquire()
    with pytest.raises(ConfigurationError, match=str(os.getpid())):
        DirectoryLock(tmp_path).acquire()
    (tmp_path / "daemon.lock").unlink()
    with pytest.raises(ConfigurationError, match="was deleted"):
        DirectoryLock(tmp_path).acquire()
    first.release()
    again = DirectoryLock(tmp_path)
    again.acquire()
    again.release()


async def test_a_slow_subscriber_is_told_what_it_missed() -> None:
    bus = LossyEventBus(FakeClock())
    assert not bus.wanted("workflows")
    with bus.subscribe("workflows") as events:
        for number in range(QUEUE + 5):
            bus.publish("workflows", "tick", {"n": number})
        bus.publish("webhooks", "other", {})
        reader = aiter(events)
        assert (await anext(reader)).data == {"n": 5}
        assert (events.missed(), events.missed()) == (5, 0)
    assert not bus.wanted("workflows")


def test_server_settings_check_networks() -> None:
    with pytest.raises(ConfigurationError, match=r"server\.trusted_proxies"):
        load(CORE_TABLES, {"server": {"trusted_proxies": ["nonsense"]}}, {}, {})
    assert load(CORE_TABLES, {}, {}, {}).get(ServerSettings).port == 8765
