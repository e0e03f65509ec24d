"""Notes of the processes that run a profile in terminals of persons."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from profile_lab import Lab

from jackfield.api.errors import NotFound
from jackfield_profiles.storage.own_terminals import OwnTerminals


def test_processes_of_one_number_have_a_note_each(tmp_path: Path) -> None:
    """Two containers that share the directory."""
    notes = OwnTerminals(tmp_path)
    (tmp_path / ".work.process-13-abc").touch()  # of one that was killed
    with notes.noted("Work"):
        assert len(list(tmp_path.iterdir())) == 1
        with notes.noted("work"):
            assert notes.processes("work") == [os.getpid()] * 2
        assert notes.processes("WORK") == [os.getpid()]
        assert not notes.processes("wor")
    assert not list(tmp_path.iterdir())


def test_a_note_that_cannot_be_opened_counts_as_one_of_a_process(tmp_path: Path) -> None:
    (tmp_path / ".work.process-12-abc").symlink_to(tmp_path / "elsewhere")
    (tmp_path / ".work.process-13-abc").touch()  # a process that is gone has left it
    assert OwnTerminals(tmp_path).processes("work") == [12]
    assert [path.name for path in tmp_path.iterdir()] == [".work.process-12-abc"]


@pytest.mark.parametrize("alias", ["../../x", "no/such", ".hidden", "nope"])
async def test_a_run_of_no_profile_leaves_no_file(tmp_path: Path, alias: str) -> None:
    lab = Lab(tmp_path)
    kept = tmp_path / "x.lock"  # where the lock of the first would be
    kept.touch()
    with pytest.raises(NotFound):
        async with lab.profiles.running_here(alias):
            pass
    assert kept.exists()
    assert not lab.directory.exists() or not list(lab.directory.iterdir())
