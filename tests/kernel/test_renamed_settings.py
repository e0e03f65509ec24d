"""Settings that had another spelling: read with a warning from every source, until the version that they name."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from jackfield.api.errors import ConfigurationError
from jackfield.api.settings import SettingsTable
from jackfield.api.version import __version__
from jackfield.core.building import load_plugins
from jackfield.core.settings import SettingKey, Settings, keys, load

STRICT = ConfigDict(extra="forbid", frozen=True)
OF_THE_SPECIFICATION = "webhooks.rateLimit"


class Limits(BaseModel):
    model_config = STRICT
    calls: int = Field(5, json_schema_extra={"former": {"most": "0.3"}})
    bytes: int = 7


class Demo(BaseModel):
    model_config = STRICT
    max_rows: int = Field(1, json_schema_extra={"former": {"maxRows": "0.2", "row_limit": "0.3"}})
    token: str = Field("", json_schema_extra={"secret": True, "former": {"key": "0.2"}})
    limits: Limits = Field(default_factory=Limits, json_schema_extra={"former": {"bounds": "0.2"}})


def demo(
    file: dict[str, object] | None = None, env: dict[str, str] | None = None, line: dict[str, str] | None = None
) -> Demo:
    return load([SettingsTable("a.demo", Demo)], {"a": {"demo": file or {}}}, env or {}, line or {}).get(Demo)


@pytest.mark.parametrize(
    ("found", "warning"),
    [
        (
            lambda: demo({"maxRows": 2}),
            "config.toml: a.demo.maxRows is now spelled a.demo.max_rows; version 0.2 no longer reads a.demo.maxRows.",
        ),
        (
            lambda: demo(line={"a.demo.row_limit": "2"}),
            "--set: a.demo.row_limit is now spelled a.demo.max_rows; version 0.3 no longer reads a.demo.row_limit.",
        ),
        (
            lambda: demo(env={"JACKFIELD_A_DEMO_ROW_LIMIT": "2"}),
            (
                "The environment: JACKFIELD_A_DEMO_ROW_LIMIT is now spelled JACKFIELD_A_DEMO_MAX_ROWS; "
                "version 0.3 no longer reads JACKFIELD_A_DEMO_ROW_LIMIT."
            ),
        ),
    ],
)
def test_every_source_may_use_a_former_spelling(
    found: Callable[[], Demo], warning: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert found().max_rows == 2
    assert caplog.messages == [warning]


def test_capitals_make_no_difference_in_the_environment(caplog: pytest.LogCaptureFixture) -> None:
    assert demo(env={"JACKFIELD_A_DEMO_MAX_ROWS": "3"}).max_rows == 3
    assert not caplog.messages


def test_a_stronger_source_wins_whatever_the_spelling() -> None:
    env = {"JACKFIELD_A_DEMO_MAX_ROWS": "3"}
    assert demo({"maxRows": 2}, env).max_rows == 3
    assert demo({"max_rows": 2}, env, {"a.demo.maxRows": "4"}).max_rows == 4
    assert demo({"maxRows": 2}, {"JACKFIELD_A_DEMO_ROW_LIMIT": "5"}).max_rows == 5


@pytest.mark.parametrize(
    "given",
    [
        ({"bounds": {"calls": 2, "bytes": 3}}, {}, {}),
        ({"bounds": {"most": 2}, "limits": {"bytes": 3}}, {}, {}),
        ({"bounds": {}, "limits": {"most": 2, "bytes": 3}}, {}, {}),
        ({}, {"JACKFIELD_A_DEMO_BOUNDS_MOST": "2", "JACKFIELD_A_DEMO_BOUNDS_BYTES": "3"}, {}),
        ({}, {}, {"a.demo.bounds.most": "2", "a.demo.bounds.bytes": "3"}),
    ],
)
def test_a_nested_table_may_have_another_name(
    given: tuple[dict[str, object], dict[str, str], dict[str, str]],
) -> None:
    limits = demo(*given).limits
    assert (limits.calls, limits.bytes) == (2, 3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (({"maxRows": 2, "max_rows": 2}, {}, {}), "config.toml: a.demo.maxRows and a.demo.max_rows are two spellings"),
        (({"maxRows": 2, "row_limit": 2}, {}, {}), "config.toml: a.demo.row_limit and a.demo.max_rows"),
        (
            ({}, {"JACKFIELD_A_DEMO_KEY": "s3cret", "JACKFIELD_A_DEMO_TOKEN": "s3cret"}, {}),
            "The environment: JACKFIELD_A_DEMO_KEY and JACKFIELD_A_DEMO_TOKEN",
        ),
        (({}, {}, {"a.demo.maxRows": "1", "a.demo.max_rows": "1"}), "--set: a.demo.maxRows and a.demo.max_rows"),
    ],
)
def test_both_spellings_in_one_source_are_refused(
    given: tuple[dict[str, object], dict[str, str], dict[str, str]], words: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        demo(*given)
    assert words in caught.value.message
    assert "s3cret" not in caught.value.message


def test_a_wrong_value_under_a_former_spelling_names_the_key() -> None:
    with pytest.raises(ConfigurationError, match=r"a\.demo\.max_rows"):
        demo({"maxRows": "many"})


def test_a_former_variable_is_not_called_strange() -> None:
    tables = [SettingsTable("a.demo", Demo)]
    assert load(tables, {}, {"JACKFIELD_A_DEMO_KEY": "x"}, {}).unknown_variables == []


# ------------------------------------------------------------------------------------------------ the daemon's settings


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_plugins(tmp_path_factory.mktemp("empty"), {}, {})[1]


def all_keys(settings: Settings) -> list[SettingKey]:
    return [key for table in settings.tables for key in keys(table.path, table.model)]


def test_every_key_is_snake_case(settings: Settings) -> None:
    odd = {key.path for key in all_keys(settings) if not re.fullmatch(r"[a-z0-9_.]+", key.path)}
    assert {path.rpartition(".")[0] for path in odd} == {OF_THE_SPECIFICATION}


def test_a_value_is_told_as_its_model_would_write_it(settings: Settings) -> None:
    for table in settings.tables:
        written = settings.get(table.model).model_dump(mode="json", by_alias=True)
        for key in keys(table.path, table.model):
            wanted = written
            for part in key.path.removeprefix(f"{table.path}.").split("."):
                wanted = wanted[part]
            assert repr(settings.value(key.path)) == repr(wanted), key.path  # 3 is not 3.0
    for absent in ("server.no_such_key", "server", "no_table.key"):
        with pytest.raises(LookupError):
            settings.value(absent)


def test_no_former_spelling_has_outlived_its_version(settings: Settings) -> None:
    today = tuple(int(part) for part in __version__.split(".")[:2])
    for key in all_keys(settings):
        for old, until in key.former.items():
            assert tuple(int(part) for part in until.split(".")) > today, f"{old} is no longer read: take it out"


def test_no_former_spelling_is_a_key_of_today(settings: Settings) -> None:
    found = all_keys(settings)
    former = [old for key in found for old in key.former]
    assert len(set(former)) == len(former)
    assert not set(former) & {key.path for key in found}


def test_a_file_in_the_former_spelling_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "config.toml").write_text(
        "[webhooks]\nresponseTimeout = 2\ntestEnabled = true\n"
        "[webhooks.rateLimit]\nenabled = true\n"
        "[webhooks.history]\nmaxAgeDays = 3\nmaxCalls = 4\n"
        '[nodes.http]\nallowedNetworks = ["10.1.0.0/16"]\n'
        "[store.sqlite]\nbusyTimeout = 7\n"
    )
    with caplog.at_level(logging.WARNING, "jackfield.settings"):
        found = load_plugins(tmp_path, {}, {"nodes.http.maxPages": "5"})[1]
    wanted = {
        "webhooks.response_timeout": 2,
        "webhooks.test_enabled": True,
        "webhooks.rateLimit.enabled": True,
        "webhooks.history.max_age_days": 3,
        "webhooks.history.max_calls": 4,
        "nodes.http.allowed_networks": ["10.1.0.0/16"],
        "nodes.http.max_pages": 5,
        "store.sqlite.busy_timeout": 7,
    }
    assert {path: found.value(path) for path in wanted} == wanted
    assert len(caplog.messages) == 7  # the table of the specification needs none
    assert all("0.3" in message for message in caplog.messages)
