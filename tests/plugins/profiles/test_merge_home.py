"""Generated files in a real home directory."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from jackfield.api.errors import InvalidInput
from jackfield_profiles.generated.home_files import HomeFiles
from jackfield_profiles.generated.writing import write_generated
from jackfield_profiles.running_settings import RunSettings

SETTINGS = RunSettings(lock_timeout=0.2)
KEY = {"${API_KEY}": 'k"1\\'}


def write(home: Path, **files: str) -> list[str]:
    named = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    return write_generated(home, named, KEY, SETTINGS)


def snapshot(home: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "homes" / "p"


def test_everything_is_private(home: Path) -> None:
    old = os.umask(0)
    try:
        write(home, gen__a_json='{"x": "${API_KEY}"}', plain_txt="key: ${API_KEY}\n")
    finally:
        os.umask(old)
    for path in (home.parent, home, *home.rglob("*")):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
    assert json.loads((home / "gen/a.json").read_text()) == {"x": KEY["${API_KEY}"]}
    assert (home / "plain.txt").read_text() == 'key: k"1\\\n'


def test_the_same_input_writes_nothing(home: Path) -> None:
    files = {"a_json": '{"x": 1}', "b_toml": "y = 2\n", "c_txt": "z"}
    write(home, **files)
    before = snapshot(home)
    assert write(home, **files) == []
    assert snapshot(home) == before


def test_files_that_are_no_longer_generated_go_but_not_with_what_others_added(home: Path) -> None:
    write(home, a_json='{"x": {"y": 1}}', b_json='{"x": 1}', c_txt="z", d_txt="z")
    (home / "b.json").write_text('{"x": 1, "mine": 2}')
    (home / "d.txt").write_text("edited")
    write(home)
    assert sorted(path.name for path in home.iterdir()) == [".jackfield", "b.json", "d.txt"]
    assert json.loads((home / "b.json").read_text()) == {"mine": 2}
    assert (home / "d.txt").read_text() == "edited"


def test_an_empty_file_of_somebody_else_is_not_removed(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "a.json").write_text("{}")
    write(home, a_json='{"x": 1}')
    write(home)
    assert json.loads((home / "a.json").read_text()) == {}


def test_what_others_had_is_set_aside_once(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "c.txt").write_text("theirs")
    (home / "a.json").write_text('{"model": "theirs"}')
    notes = write(home, c_txt="ours", a_json='{"model": "ours"}')
    assert len(notes) == 2
    assert "c.txt.bak" in " ".join(notes)
    assert (home / "c.txt").read_text() == "ours"
    assert (home / "c.txt.bak").read_text() == "theirs"
    assert json.loads((home / "a.json.bak").read_text()) == {"model": "theirs"}
    assert write(home, c_txt="ours 2", a_json='{"model": "ours 2"}') == []
    (home / "c.txt").write_text("edited")
    assert write(home, c_txt="ours 3", a_json='{"model": "ours 2"}')
    assert (home / "c.txt.bak.2").read_text() == "edited"


@pytest.mark.parametrize(("name", "text"), [("a.json", "{ // mine\n}"), ("a.toml", "= broken"), ("a.json", "[]")])
def test_a_file_that_cannot_be_read_is_left_alone_with_all_others(home: Path, name: str, text: str) -> None:
    home.mkdir(parents=True)
    (home / name).write_text(text)
    generated = '{"x": 1}' if name.endswith("json") else "x = 1"
    with pytest.raises(InvalidInput, match=rf"{name}.*not changed"):
        write_generated(home, {name: generated, "0.txt": "first"}, {}, SETTINGS)
    assert (home / name).read_text() == text
    assert not (home / "0.txt").exists()


@pytest.mark.parametrize("where", ["link/x.txt", "link/deep/x.txt", "leaf.txt"])
def test_links_are_not_followed(home: Path, tmp_path: Path, where: str) -> None:
    home.mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("theirs")
    (home / "link").symlink_to(outside)
    (home / "leaf.txt").symlink_to(outside / "secret.txt")
    with pytest.raises(InvalidInput, match="link"):
        write_generated(home, {where: "ours"}, {}, SETTINGS)
    assert [path.name for path in outside.rglob("*")] == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == "theirs"


def test_a_pipe_or_a_directory_in_the_way_is_told(home: Path) -> None:
    home.mkdir(parents=True)
    os.mkfifo(home / "pipe.json")
    (home / "dir.json").mkdir()
    for name in ("pipe.json", "dir.json"):
        with pytest.raises(InvalidInput, match=name):
            write_generated(home, {name: "{}"}, {}, SETTINGS)


def test_a_file_that_is_too_large_is_told(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "a.json").write_text(" " * 5000 + "{}")
    with pytest.raises(InvalidInput, match="max_file_bytes"):
        write_generated(home, {"a.json": "{}"}, {}, RunSettings(max_file_bytes=4096))


def test_a_home_that_another_writes_is_waited_for_and_then_told(home: Path) -> None:
    with HomeFiles(home) as root, root.locked(1):
        with pytest.raises(InvalidInput, match="try again"):
            write(home, a_txt="x")
        waiting = threading.Thread(target=write_generated, args=(home, {"a.txt": "x"}, {}, RunSettings()))
        waiting.start()
    waiting.join(10)
    assert (home / "a.txt").read_text() == "x"


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b'{"files": {"a.json": 5}}', b'{"files": {"a.json": {}}}', b"\xff"]
)
def test_a_damaged_record_counts_as_none(home: Path, state: bytes) -> None:
    write(home, a_json='{"x": 1}')
    (home / ".jackfield/owned.json").write_bytes(state)
    write(home, a_json='{"x": 2}')
    assert json.loads((home / "a.json").read_text()) == {"x": 2}
    write(home)
    assert not (home / "a.json").exists() or json.loads((home / "a.json").read_text()) == {}


def test_json_that_is_no_object_is_ours_as_a_whole(home: Path) -> None:
    write(home, a_json="[1, 2]")
    write(home, a_json="[3]")
    assert (home / "a.json").read_text() == "[3]"


def test_the_record_holds_no_values(home: Path) -> None:
    write(home, a_json='{"token": "${API_KEY}"}', b_txt="${API_KEY}")
    assert "k\\" not in (home / ".jackfield/owned.json").read_text()


def test_an_open_file_is_closed_to_others(home: Path) -> None:
    write(home, a_json='{"x": 1}')
    (home / "a.json").chmod(0o644)
    write(home, a_json='{"x": 1}')
    assert stat.S_IMODE((home / "a.json").stat().st_mode) == 0o600
