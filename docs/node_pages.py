"""A hook of MkDocs: a page for each node type that Jackfield has, and the list of all, under `nodes/`.

They are made when the documentation is built, and by the daemon for the browser's help: of the node types themselves,
so that none can be stale, and none is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from jackfield.api.nodes import NodeCatalog
from jackfield.core.building import build
from jackfield_workflows.node_pages.examples import NodeExamples
from jackfield_workflows.node_pages.page import index_page, node_page, page_name

FOLDER = "nodes"


def pages() -> Iterator[tuple[str, str]]:
    """(name below `docs/`, text) of each."""
    with tempfile.TemporaryDirectory() as directory:
        catalog = build(Path(directory), {}, {}).context("docs").port(NodeCatalog)
        node_types = catalog.all()
        yield f"{FOLDER}/index.md", index_page(node_types)
        examples = NodeExamples(catalog)
        for one in node_types:
            yield f"{FOLDER}/{page_name(one.kind)}.md", node_page(one, examples.of(one))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by MkDocs when it has found the files that are there."""
    for name, text in pages():
        files.append(File.generated(config, name, content=text))
    return files
