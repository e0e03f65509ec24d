"""Projects that `jackfield plugins new` makes, and an environment of Python in which they are installed.

It sees what is installed here, Jackfield included, and has programs of its own. So nothing comes from an index.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

PROGRAM = """#!{python}
import runpy, sys
sys.argv[0] = {name!r}
{run}
"""
RUNS = {
    "jackfield": "from jackfield.cli.main import main; main()",
    "pytest": "runpy.run_module('pytest', run_name='__main__')",
    "mypy": "runpy.run_module('mypy', run_name='__main__')",
    "twine": "runpy.run_module('twine', run_name='__main__')",
    "pip": "runpy.run_module('pip', run_name='__main__')",
}
"""Program -> what it does."""
OFFLINE = {
    "PIP_NO_DEPS": "1",
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # means: no isolation
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}


class StrangersPlace:
    """The environment of somebody who writes a plugin."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.bin = directory / "bin"
        self.python = self.bin / "python"

    def build(self) -> None:
        """Make it, without pip's own wheel: pip is seen like everything else."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.directory)], check=True, timeout=60)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = self.directory / "lib" / version / "site-packages"
        seen = dict.fromkeys([*sysconfig.get_paths().values(), *sys.path])
        places = [place for place in seen if Path(place).is_dir() and "site-packages" in place]
        # `addsitedir` also reads the .pth files there, of what is installed to be edited.
        lines = [f"import site; site.addsitedir({place!r})" for place in places]
        (site / "seen.pth").write_text("\n".join(lines) + "\n")
        for name, run in RUNS.items():
            (self.bin / name).write_text(PROGRAM.format(python=self.python, name=name, run=run))
            (self.bin / name).chmod(0o755)
        ruff = Path(sys.executable).with_name("ruff")
        if ruff.is_file():
            (self.bin / "ruff").symlink_to(ruff)

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        return {**kept, **OFFLINE, "PATH": path, "VIRTUAL_ENV": str(self.directory), **self._cache()}

    def _cache(self) -> dict[str, str]:
        """The type checker reads Jackfield once, for all projects."""
        return {"MYPY_CACHE_DIR": str(self.directory / "mypy"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *command: str, cwd: Path, timeout: float = 300) -> str:
        """What it prints; a failure is the test's, with all that it printed."""
        done = self.ask(*command, cwd=cwd, timeout=timeout)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def ask(self, *command: str, cwd: Path, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=cwd, env=self.environment(), capture_output=True, text=True, timeout=timeout)

    def shell(self, lines: Sequence[str], cwd: Path, timeout: float = 300) -> str:
        """Lines as somebody types them, the one after the other; the first that fails ends them."""
        return self.run("sh", "-euc", "\n".join(lines), cwd=cwd, timeout=timeout)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> StrangersPlace:
    made = StrangersPlace(tmp_path_factory.mktemp("stranger") / "venv")
    made.build()
    return made
