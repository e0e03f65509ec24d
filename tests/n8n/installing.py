"""n8n's engine from npm, where it is not installed yet: about 850 MB, three minutes, once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

DIRECTORY = "JACKFIELD_TEST_N8N_ORACLE"
CACHE = "JACKFIELD_TEST_N8N_CACHE"
ROOT = Path(__file__).resolve().parents[2]
FILES = ("package.json", "adapter.js")
OLDEST_NODE = 22
SECONDS = 200
NPM = ("npm", "install", "--no-audit", "--no-fund")


class NotThere(Exception):
    """Why n8n's engine cannot be started here."""


def directory() -> Path:
    """Where the adapter and its packages are. Raises `NotThere`."""
    given = os.environ.get(DIRECTORY)
    place = Path(given) if given else ROOT.parent / "shared/oracle/n8n"
    if not (place / FILES[-1]).is_file():
        raise NotThere(f"{place} holds no {FILES[-1]}; {DIRECTORY} names the directory that does")
    if (place / "node_modules/n8n-core").is_dir():
        return place
    return _installed(place)


def node() -> str:
    """A Node.js that n8n runs on. Raises `NotThere`."""
    found = shutil.which("node")
    if found and _major(found) >= OLDEST_NODE:
        return found
    place = _cache() / "node"
    program = place / "node_modules/.bin/node"
    if not program.exists():
        place.mkdir(parents=True, exist_ok=True)
        _npm(place, f"node@{OLDEST_NODE + 2}")  # its install script brings the program
    return str(program)


def _major(program: str) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    digits = said.strip().removeprefix("v").partition(".")[0]
    return int(digits) if digits.isdecimal() else 0


def _cache() -> Path:
    return Path(os.environ.get(CACHE) or ROOT / ".tox/n8n")


def _installed(source: Path) -> Path:
    """A copy of the oracle with its packages, one per content of the files."""
    mark = hashlib.sha256(b"".join((source / name).read_bytes() for name in FILES)).hexdigest()[:12]
    place = _cache() / mark
    done = place / "installed"
    if not done.exists():
        place.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copyfile(source / name, place / name)
        _npm(place, "--ignore-scripts")  # a native package that nothing here needs fails to build
        done.touch()
    return place


def _npm(place: Path, *arguments: str) -> None:
    if shutil.which("npm") is None:
        raise NotThere("npm is not installed")
    try:
        done = subprocess.run([*NPM, *arguments], cwd=place, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise NotThere(f"npm install took longer than {SECONDS} s") from None
    if done.returncode:
        raise NotThere(f"npm install failed: {done.stderr[-1000:]}")
