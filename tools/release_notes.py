"""The notes of one release, for the forge: `python tools/release_notes.py TAG`, from the tag's changelog."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOGS = {"rhai-v": "rhai-python/CHANGELOG.md", "v": "CHANGELOG.md"}
HEADING = re.compile(r"^## ", re.MULTILINE)


def notes(changelog: str, version: str) -> str | None:
    """The section of a version, without its heading; None: there is none."""
    for section in HEADING.split(changelog)[1:]:
        heading, _, text = section.partition("\n")
        if re.match(rf"\[?{re.escape(version)}\]?(?![\w.])", heading):
            return text.strip() + "\n"
    return None


def main(tag: str) -> None:
    """Prints them. Raises `SystemExit` where a changelog says nothing of the version."""
    for prefix, place in CHANGELOGS.items():
        if tag.startswith(prefix):
            version = tag.removeprefix(prefix)
            found = notes((ROOT / place).read_text(encoding="utf-8"), version)
            if found is None:
                raise SystemExit(f"{place} has no section ## {version}; run towncrier, and commit it before the tag.")
            sys.stdout.write(found)
            return
    sys.stdout.write("Jackfield's own compiled parts: see the notes of Jackfield.\n")


if __name__ == "__main__":
    main(sys.argv[1])
