"""Writes down what lists show of node types (`outlines.json` of plugins); `--check` only says whether that is up to
date. Run it when descriptions have changed."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jackfield.api.json_values import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.outlines import outline_row, written
from jackfield.core.building import build
from jackfield_ai.catalogue import OUTLINES as AI
from jackfield_ai.catalogue import PREFIX, RUNNING, SERVING
from jackfield_nodes.catalogue import MODULES
from jackfield_nodes.catalogue import OUTLINES as NODES
from jackfield_vendors.catalogue import KINDS, description_file
from jackfield_vendors.outlines import WRITTEN as VENDORS
from jackfield_vendors.outlines import vendor_row

PLACES = {**RUNNING, **SERVING}


def vendors(catalog: NodeCatalog) -> str:
    nodes = {kind: catalog.find(kind) for kind in KINDS}
    return written({kind: vendor_row(one, description_file(kind)) for kind, one in nodes.items() if one is not None})


def everywhere(catalog: NodeCatalog, modules: Mapping[str, str]) -> str:
    """Those that say the same wherever they run, whichever libraries are installed. modules: by kind."""
    made: dict[str, dict[str, Json]] = {}
    for kind, module in modules.items():
        if (node := catalog.find(kind)) is not None and not hasattr(sys.modules[module], "lacking_library"):
            made[kind] = outline_row(node)
    return written(made)


def found() -> Mapping[Path, str]:
    with tempfile.TemporaryDirectory() as directory:
        catalog = build(Path(directory), {}, {}).context("outlines").port(NodeCatalog)
        return {
            VENDORS: vendors(catalog),
            NODES: everywhere(catalog, {kind: f"jackfield_nodes.{module}" for kind, module in MODULES.items()}),
            AI: everywhere(
                catalog, {PREFIX + kind: f"jackfield_ai.{place.partition(':')[0]}" for kind, place in PLACES.items()}
            ),
        }


def main() -> int:
    stale = {file: text for file, text in found().items() if not file.is_file() or file.read_text("utf-8") != text}
    if sys.argv[1:] == ["--check"]:
        names = ", ".join(file.parent.name for file in stale)
        sys.stderr.write(
            f"outlines.json of {names} is not up to date; run python tools/node_outlines.py\n" * bool(stale)
        )
        return int(bool(stale))
    for file, text in stale.items():
        file.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
