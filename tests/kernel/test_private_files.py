"""Private files of the daemon, where somebody has put something else in their place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import append_private, read_private


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
