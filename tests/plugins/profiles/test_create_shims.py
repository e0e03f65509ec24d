"""Commands of profiles: two lines, ours alone."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from profile_lab import Lab

from jackfield.api.errors import Conflict
from jackfield_profiles.shims import Shims


@pytest.fixture
def shims(tmp_path: Path) -> Shims:
    return Lab(tmp_path, bin_dir=str(tmp_path / "bin with space")).shims


def test_shim_is_two_lines_and_a_program(shims: Shims) -> None:
    made = shims.install("my-profile")
    lines = made.path.read_text().splitlines()
    assert lines[0] == "#!/bin/sh"
    assert len(lines) == 2
    assert lines[1].endswith('my-profile -- "$@"')
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o755
    assert subprocess.run(["/bin/sh", "-n", made.path], check=False).returncode == 0
    assert shims.installed() == ["my-profile"]


def test_our_own_is_written_again_and_removed(shims: Shims) -> None:
    path = shims.install("my-profile").path
    assert shims.install("my-profile").path == path
    assert shims.uninstall("my-profile")
    assert not path.exists()
    assert not shims.uninstall("my-profile")


@pytest.mark.parametrize("content", ["", "#!/bin/sh\nexec other\n", '#!/bin/sh\nexec x profiles run b -- "$@"\nrm x\n'])
def test_another_programs_file_is_left_alone(shims: Shims, content: str) -> None:
    path = shims.directory / "mine"
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(Conflict):
        shims.install("mine")
    assert not shims.uninstall("mine")
    assert path.read_text() == content


def test_a_link_is_left_alone(shims: Shims, tmp_path: Path) -> None:
    shims.directory.mkdir()
    (shims.directory / "mine").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Conflict):
        shims.install("mine")
    assert not (tmp_path / "nowhere").exists()


def test_a_program_of_this_name_is_not_hidden(shims: Shims) -> None:
    with pytest.raises(Conflict, match="sh"):
        shims.install("sh")


async def test_deleting_a_profile_removes_its_command(tmp_path: Path) -> None:
    lab = Lab(tmp_path, bin_dir=str(tmp_path / "bin"))
    await lab.create("my-profile", shim=True)
    assert lab.shims.installed() == ["my-profile"]
    await lab.deleting.delete("my-profile", purge=False, force=False)
    assert not lab.shims.installed()
