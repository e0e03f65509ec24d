"""The program of an earlier commit."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from jackfield.testing.daemon import Daemon

GIVEN = os.environ.get("JACKFIELD_TEST_PREVIOUS", "")
"""Path of the earlier program, in a virtual environment of its own."""
REVISION = os.environ.get("JACKFIELD_TEST_REVISION", "")
"""A commit of this repository whose program is made, where none is given, such as `HEAD~1`."""
ROOT = Path(__file__).parents[2]


class NoRevision(Exception):
    """There is no such commit here."""


def earlier_program(directory: Path, revision: str) -> Path:
    """The program of a commit, over the dependencies of this Python. Raises `NoRevision`."""
    tree, home = directory / "tree", directory / "venv"
    tree.mkdir(parents=True)
    archive = directory / "tree.tar"
    made = subprocess.run(
        ["git", "archive", "--output", str(archive), revision], cwd=ROOT, capture_output=True, text=True, check=False
    )  # fmt: skip
    if made.returncode:
        raise NoRevision(made.stderr.strip())
    subprocess.run(["tar", "-xf", str(archive), "-C", str(tree)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    packages = next(home.glob("lib/python*/site-packages"))
    # Before this Python's packages, and with them this version of ours.
    places = [tree / "src", tree / "plugins", *(place for place in sys.path if place.endswith("-packages"))]
    (packages / "earlier.pth").write_text("".join(f"{place}\n" for place in places))
    _write_distribution(tree, packages)
    program = home / "bin" / "jackfield"
    program.write_text(f"#!{home / 'bin' / 'python'}\nfrom jackfield.cli.main import main\n\nmain()\n")
    program.chmod(0o755)
    return program


def _write_distribution(tree: Path, packages: Path) -> None:
    """What an installation says of the commit's plugins."""
    project = tomllib.loads((tree / "pyproject.toml").read_text())["project"]
    place = packages / "jackfield-0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: jackfield\nVersion: 0\n")
    lines = [f"{name} = {where}" for name, where in project["entry-points"]["jackfield"].items()]
    (place / "entry_points.txt").write_text("\n".join(["[jackfield]", *lines, ""]))


class UpgradedDaemon(Daemon):
    """Starts as the earlier program until `upgraded` is set."""

    upgraded = False
    earlier: Path

    def command(self) -> list[str]:
        made = super().command()
        return made if self.upgraded else [str(self.earlier), *made[1:]]
