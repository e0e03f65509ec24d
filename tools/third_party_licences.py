"""Licence texts of the crates that a compiled package links, as `THIRD_PARTY_LICENCES.txt` beside its Cargo.toml.

The wheel holds the machine code of these crates, and their licences want their texts beside it. What only builds or
tests is left out. `--check`: nothing is written; exit code 1 when the file is not what it would be.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAME = "THIRD_PARTY_LICENCES.txt"
TEXTS = ("LICENSE*", "LICENCE*", "license*", "COPYING*", "NOTICE*", "UNLICENSE*")
HEAD = """The compiled half of {name} holds the code of the crates below, which are not part of it. Each has the licence
that is named; texts that several of them share stand here once. The standard library of Rust is in it too: Copyright
(c) The Rust Project Contributors, MIT or Apache-2.0, with the texts of these two below.
"""
RULE = "=" * 100
PROC_MACRO = "proc-macro"
PLATFORMS = (
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
)
"""Those that wheels are made for. One file names what any of them links."""


def metadata(project: Path) -> dict[str, Any]:  # Any: cargo's JSON
    platforms = [part for platform in PLATFORMS for part in ("--filter-platform", platform)]
    place = ["--manifest-path", str(project / "Cargo.toml")]
    command = ["cargo", "metadata", "--locked", "--format-version", "1", *place, *platforms]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603 - ours
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def linked(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The packages whose code is linked, by name; without the project's own and without macros, which only build."""
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    root = found["resolve"]["root"]
    seen, left = {root}, [root]
    while left:
        for needed in nodes[left.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in needed["dep_kinds"])
            package = packages[needed["pkg"]]
            macro = any(PROC_MACRO in target["kind"] for target in package["targets"])
            if normal and not macro and needed["pkg"] not in seen:
                seen.add(needed["pkg"])
                left.append(needed["pkg"])
    return sorted((packages[one] for one in seen - {root}), key=lambda package: (package["name"], package["version"]))


def texts(package: dict[str, Any]) -> Iterator[str]:
    """What its own files say; one without any is told of, since its licence has to be looked for by hand."""
    folder = Path(package["manifest_path"]).parent
    files = sorted({file for pattern in TEXTS for file in folder.glob(pattern) if file.is_file()})
    if not files:
        sys.stderr.write(f"{package['name']} {package['version']} ({package['license']}) has no text of its own\n")
    for file in files:
        yield "\n".join(
            line.rstrip() for line in file.read_text(encoding="utf-8", errors="replace").splitlines()
        ).strip()


def notice(project: Path) -> str:
    found = metadata(project)
    packages = linked(found)
    root = next(package for package in found["packages"] if package["id"] == found["resolve"]["root"])
    users: dict[str, list[str]] = {}
    lines = [HEAD.format(name=root["name"])]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license']}; {package['repository'] or 'https://crates.io'}")
        for text in texts(package):
            users.setdefault(text, []).append(name)
    for text, names in users.items():
        lines += ["", RULE, "Of " + ", ".join(names), RULE, "", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path, help="directory of a Cargo.toml")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    given = parser.parse_args()
    file, text = given.project / NAME, notice(given.project)
    if not given.check:
        file.write_text(text, encoding="utf-8")
    elif not file.is_file() or file.read_text(encoding="utf-8") != text:
        sys.stderr.write(f"{file} is out of date: run `python tools/third_party_licences.py {given.project.name}`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
