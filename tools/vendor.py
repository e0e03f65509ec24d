"""Fetch the JavaScript libraries that the wheel carries, byte for byte as their authors published them.

    python tools/vendor.py            write them below plugins/jackfield_javascript/vendor
    python tools/vendor.py --check    say whether what lies there is what the registry has

`npm pack` gets the packages, so `npm` must be on the path. `vendored.json` beside the files says which file of which
package in which version, and its SHA-256; a test compares the hashes, offline.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

VENDOR = Path(__file__).resolve().parents[1] / "plugins/jackfield_javascript/vendor"


def packed(package: str, version: str, directory: Path) -> Path:
    """The package as the registry has it, in this directory."""
    argv = ["npm", "pack", "--silent", "--pack-destination", str(directory), f"{package}@{version}"]
    name = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()[-1]  # noqa: S603
    return directory / name


def contents(archive: Path, name: str) -> bytes:
    """One file of a packed package."""
    with tarfile.open(archive) as tar:
        member = tar.extractfile(f"package/{name}")
        if member is None:
            raise FileNotFoundError(name)
        return member.read()


def problems(entry: Mapping[str, str], found: bytes, *, check: bool) -> list[str]:
    """What is wrong with one file; without check it is written first."""
    target = VENDOR / entry["file"]
    if not check:
        target.write_bytes(found)
    digest = hashlib.sha256(found).hexdigest()
    if digest != entry["sha256"]:
        return [f"{entry['file']}: the registry's file has the SHA-256 {digest}"]
    return [] if target.read_bytes() == found else [f"{entry['file']}: differs from the registry's"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch the JavaScript libraries that the wheel carries.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as directory:
        for entry in json.loads((VENDOR / "vendored.json").read_text()):
            archive = packed(entry["package"], entry["version"], Path(directory))
            wrong += problems(entry, contents(archive, entry["path"]), check=check)
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
