"""Private files of the daemon, where somebody has put something else in their place."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jackfield.api import files
from jackfield.api.errors import ConfigurationError
from jackfield.api.files import OLD, append_private, read_private, sweep_private, write_private


@pytest.mark.parametrize("what", ["pipe", "directory", "link"])
def test_what_is_no_plain_file_is_named_and_not_waited_for(tmp_path: Path, what: str) -> None:
    place = tmp_path / "state.json"
    if what == "pipe":
        os.mkfifo(place)
    elif what == "directory":
        place.mkdir()
    else:
        place.symlink_to("/etc/passwd")
    for use in (read_private, append_private):
        with pytest.raises(ConfigurationError, match=r"state\.json"):
            use(place)


def test_a_pipe_that_somebody_reads_is_not_written_to(tmp_path: Path) -> None:
    place = tmp_path / "log.jsonl"
    os.mkfifo(place)
    reader = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(ConfigurationError, match="no plain file"):
            append_private(place)
    finally:
        os.close(reader)


class Killed(BaseException):
    """Stands for the end of the process: nothing is tidied up."""


def left_by_a_killed_writer(place: Path, monkeypatch: pytest.MonkeyPatch, *, age: float) -> Path:
    """A new file that was not renamed, as old as that many seconds."""
    before = set(place.parent.iterdir())

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", die)
        patch.setattr(Path, "unlink", die)
        with pytest.raises(Killed):
            write_private(place, b"half")
    [left] = set(place.parent.iterdir()) - before
    moment = time.time() - age
    os.utime(left, (moment, moment))
    return left


def test_what_a_killed_writer_left_is_swept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "profiles"
    deep = below / "a" / "b"
    deep.mkdir(parents=True)
    old = [left_by_a_killed_writer(folder / "x.json", monkeypatch, age=OLD + 5) for folder in (tmp_path, below, below)]
    young = left_by_a_killed_writer(below / "x.json", monkeypatch, age=OLD - 30)
    too_deep = left_by_a_killed_writer(deep / "x.json", monkeypatch, age=OLD + 5)
    foreign = [
        below / ".x.json.deadbeef",
        below / ".jackfield-deadbeef",
        below / "x.jackfield-deadbeef",
        below / ".y.lock",
    ]
    for path in foreign:
        path.write_text("mine")
        os.utime(path, (0, 0))
    (below / ".link.jackfield-deadbeef").symlink_to(young)
    (tmp_path / "linked").symlink_to(deep, target_is_directory=True)
    (below / ".folder.jackfield-deadbeef").mkdir()
    assert sweep_private(tmp_path, 2) == 3
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in (young, too_deep, *foreign))
    assert (below / ".link.jackfield-deadbeef").is_symlink()
    assert sweep_private(tmp_path / "missing", 2) == 0
