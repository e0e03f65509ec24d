"""Builds the browser interface into `plugins/jackfield_ui/static`, from where the wheel and the sdist take it, and
gives the wheel the pages of the documentation, which the daemon's MCP server tells.

JACKFIELD_UI_BUILD=1: it must be there, or the build fails. JACKFIELD_UI_BUILD=0: npm is not asked, what is there is
taken. Otherwise it is built where npm is, and not for an editable installation, whose checkout belongs to a developer:
run `npm ci && npm run build` in `plugins/jackfield_ui/frontend` when you want it. What is newer than its sources is not
built again, so an sdist, which holds it, needs no npm.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LEAST_NODE = (20, 19)
"""What Vite 8 needs."""
TIMEOUT = 900
"""Seconds for one command of npm."""
COMMANDS = (("npm", "ci", "--omit=dev", "--no-audit", "--no-fund"), ("npm", "run", "build"))
NOT_SOURCES = frozenset({"node_modules", "coverage"})
NO_INTERFACE = "Jackfield is built WITHOUT its browser interface"


class NotBuilt(RuntimeError):
    """Why there is no interface."""


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, dict[str, str]]) -> None:
        """Before the files are collected."""
        if self.target_name == "wheel" and version != "editable":
            build_data["force_include"].update(pages(Path(self.root)))
        ui = Path(self.root) / "plugins/jackfield_ui"
        wish = os.environ.get("JACKFIELD_UI_BUILD", "")
        if wish == "0" or (version == "editable" and wish != "1") or up_to_date(ui):
            return
        try:
            build(ui / "frontend")
        except NotBuilt as reason:
            if wish == "1":
                raise
            self.app.display_warning(f"{NO_INTERFACE}: {reason}")


def pages(root: Path) -> dict[str, str]:
    """File -> its place in the wheel. An editable installation has them beside `plugins`."""
    return {str(path): f"jackfield_mcp/pages/{path.name}" for path in sorted((root / "docs").glob("*.md"))}


def up_to_date(ui: Path) -> bool:
    """Whether the built page is as new as all that it is made of. Equal times count: an sdist has one for all."""
    page = ui / "static/index.html"
    newest = max((path.stat().st_mtime for path in sources(ui / "frontend")), default=0.0)
    return page.is_file() and page.stat().st_mtime >= newest


def sources(frontend: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(frontend):
        folders[:] = [name for name in folders if name not in NOT_SOURCES]
        yield from (Path(place, name) for name in names)


def build(frontend: Path) -> None:
    """Raises `NotBuilt`."""
    if not (frontend / "package.json").is_file():
        raise NotBuilt(f"{frontend} is not there.")
    check_node()
    for command in COMMANDS:
        try:
            subprocess.run(command, cwd=frontend, check=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)  # noqa: S603 - ours
        except (OSError, subprocess.SubprocessError) as exc:
            raise NotBuilt(f"`{' '.join(command)}` failed in {frontend}: {exc}") from None


def check_node() -> None:
    """Raises `NotBuilt` that says what to install."""
    wanted = "install Node.js {}.{} or newer with npm".format(*LEAST_NODE)
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise NotBuilt(f"npm is missing; {wanted}.")
    asked = ("node", "--version")
    said = subprocess.run(asked, capture_output=True, text=True, timeout=60).stdout.strip()  # noqa: S603 - ours
    found = re.match(r"v(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < LEAST_NODE:
        raise NotBuilt(f"this Node.js is {said or 'broken'}, Vite needs a newer one; {wanted}.")
