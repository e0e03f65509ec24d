"""Answers that the command line keeps: never one that is no longer true."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackfield.cli import memory
from jackfield.cli.main import jackfield
from jackfield.cli.memory import CommandCache, cache_directory
from jackfield.cli.runtime import Runtime


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a test are as new as it is."""
    monkeypatch.setattr(memory, "_SETTLED_NS", -3_600_000_000_000)


class Asked:
    """A question whose answer counts how often it was made."""

    def __init__(self, cache: Path, *places: Path, sound: bool = True) -> None:
        self._memory = CommandCache(cache)
        self._places = places
        self._sound = sound
        self.made = 0

    def __call__(self, work: Callable[[], object] = lambda: None) -> int:
        """How often it was made by now."""

        def make() -> int:
            work()
            self.made += 1
            return self.made

        assert isinstance(self._memory.answer("one", "asked", self._places, make, lambda: self._sound), int)
        return self.made


def test_what_has_not_changed_is_said_again(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("a")
    asked = Asked(tmp_path / "cache", place)
    assert [asked(), asked(), asked()] == [1, 1, 1]
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0
    assert (tmp_path / "cache" / "one.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("change", ["content", "gone", "module", "beside", "opened", "listed", "path"])
def test_what_has_changed_is_looked_at_again(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, data, listed = tmp_path / "code", tmp_path / "data", tmp_path / "listed"
    for directory in (code, listed):
        directory.mkdir()
    (code / "loaded_by_a_test.py").write_text("x = 1")
    (tmp_path / "file").write_text("a")
    data.write_text("a")
    monkeypatch.syspath_prepend(str(code))
    monkeypatch.delitem(sys.modules, "loaded_by_a_test", raising=False)

    def work() -> None:
        __import__("loaded_by_a_test")
        data.read_text()
        list(listed.iterdir())

    asked = Asked(tmp_path / "cache", tmp_path / "file", tmp_path / "absent")
    assert [asked(work), asked(work)] == [1, 1]
    changes: dict[str, Callable[[], object]] = {
        "content": lambda: (tmp_path / "file").write_text("b"),
        "gone": (tmp_path / "file").unlink,
        "module": lambda: (code / "loaded_by_a_test.py").write_text("x = 2"),
        "beside": (code / "another.py").touch,
        "opened": lambda: data.write_text("b"),
        "listed": (listed / "new").touch,
        "path": lambda: monkeypatch.syspath_prepend(str(listed)),
    }
    changes[change]()
    assert [asked(work), asked(work)] == [2, 2]
    if change == "content":
        (tmp_path / "absent").touch()
        assert asked(work) == 3


@pytest.mark.parametrize("kept", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_damaged_answer_is_made_anew(kept: bytes, tmp_path: Path) -> None:
    asked = Asked(tmp_path)
    (tmp_path / "one.json").write_bytes(kept)
    assert [asked(), asked()] == [1, 1]


def test_what_is_not_sound_is_not_kept(tmp_path: Path) -> None:
    asked = Asked(tmp_path, sound=False)
    assert [asked(), asked()] == [1, 2]


def test_what_came_with_a_warning_is_not_kept(tmp_path: Path) -> None:
    asked = Asked(tmp_path)
    warned = [asked(lambda: print("be warned", file=sys.stderr)) for _ in range(2)]
    assert warned == [1, 2]


def test_what_may_have_changed_meanwhile_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_SETTLED_NS", 1_000_000_000)
    place = tmp_path / "file"
    asked = Asked(tmp_path / "cache", place)
    assert [asked(place.touch), asked(place.touch)] == [1, 2]


def test_a_cache_that_cannot_be_written_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    asked = Asked(tmp_path / "file" / "cache")
    assert [asked(), asked()] == [1, 2]


def test_nothing_is_kept_in_a_place_of_somebody_else_or_behind_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `sudo` may name it: a link there could lead anywhere."""
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere")
    assert [Asked(tmp_path / "linked")(), Asked(tmp_path / "linked")()] == [1, 1]
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o755
    (tmp_path / "kept").mkdir()
    asked = Asked(tmp_path / "kept")
    assert [asked(), asked()] == [1, 1], "in one's own it is"
    monkeypatch.setattr("os.getuid", lambda: 54_321)
    if tmp_path.stat().st_uid:
        asked = Asked(tmp_path / "fresh" / "cache")
        assert [asked(), asked()] == [1, 2]
        assert not (tmp_path / "fresh").exists()
    asked = Asked(tmp_path / "kept")
    assert [asked(), asked()] == [1, 2]


def test_settings_of_the_environment_are_asked_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JACKFIELD_SERVER_PORT", "1")
    made = list[int]()
    for _ in range(2):
        Runtime(tmp_path).remembered("one", None, tmp_path, lambda: made.append(1))
    assert len(made) == 2
    assert list(tmp_path.iterdir()) == []


def test_the_cache_is_where_the_user_keeps_such_things(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert cache_directory(home) == tmp_path / ".cache" / "jackfield"
    assert cache_directory({**home, "XDG_CACHE_HOME": "/cache"}) == Path("/cache/jackfield")
    assert cache_directory({**home, "XDG_CACHE_HOME": "relative"}) == tmp_path / ".cache" / "jackfield"
    assert cache_directory({"HOME": str(tmp_path / "gone")}) is None
    assert cache_directory({}) is None


def test_commands_say_the_same_and_show_what_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("JACKFIELD_")]:
        monkeypatch.delenv(name)
    plugins, directory = tmp_path / "site", tmp_path / "directory"
    plugins.mkdir()
    directory.mkdir()
    monkeypatch.syspath_prepend(str(plugins))

    def said(*arguments: str, cache: Path | None = tmp_path / "cache") -> str:
        given = [*arguments, "--config-dir", str(directory)] if "--help" not in arguments else list(arguments)
        return CliRunner().invoke(jackfield, given, obj=Runtime(cache), catch_exceptions=False).stdout

    asked = [("config",), ("plugins", "--json"), ("--help",), ("workflow", "--help")]
    live = {arguments: said(*arguments, cache=None) for arguments in asked}
    for arguments in asked:
        assert said(*arguments) == live[arguments]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("jackfield.core.plugins.PluginHost.discover", None)  # nothing may be loaded
            assert said(*arguments) == live[arguments]
    (directory / "config.toml").write_text("[server]\nport = 1234\n")
    assert '"server.port": 1234' in said("config", "--json")
    said("plugins", "--json")
    (plugins / "broken-1.dist-info").mkdir()
    (plugins / "broken-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (plugins / "broken-1.dist-info" / "entry_points.txt").write_text("[jackfield]\nbroken = broken_plugin:Plugin\n")
    for _ in range(2):  # a stranger's plugin is asked each time
        rows = {row["name"]: row for row in json.loads(said("plugins", "--json"))}
        assert rows["broken"]["status"] == "failed"
