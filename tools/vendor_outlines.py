"""Writes down what lists show of shipped nodes (`plugins/jackfield_vendors/outlines.json`); `--check` only says whether
that is up to date. Run it when descriptions have changed."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from jackfield.api.nodes import NodeCatalog
from jackfield.core.building import build
from jackfield_vendors.catalogue import KINDS, description_file
from jackfield_vendors.outlines import WRITTEN, outline_row, written


def found() -> str:
    with tempfile.TemporaryDirectory() as directory:
        catalog = build(Path(directory), {}, {}).context("outlines").port(NodeCatalog)
        nodes = {kind: catalog.find(kind) for kind in KINDS}
    return written(
        {kind: outline_row(node, description_file(kind)) for kind, node in nodes.items() if node is not None}
    )


def main() -> int:
    text = found()
    if WRITTEN.is_file() and WRITTEN.read_text("utf-8") == text:
        return 0
    if sys.argv[1:] == ["--check"]:
        sys.stderr.write(f"{WRITTEN.name} is not up to date; run python tools/vendor_outlines.py\n")
        return 1
    WRITTEN.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
