"""What lists show of the nodes of two plugins without making them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.outlines import WrittenOutlines
from jackfield.core.building import build
from jackfield_ai.catalogue import OUTLINES as AI
from jackfield_nodes.catalogue import OUTLINES as NODES
from jackfield_workflows.routes.node_type_views import summary


@pytest.mark.parametrize(("file", "least"), [(NODES, 40), (AI, 60)], ids=["nodes", "ai"])
def test_outlines_tell_what_the_nodes_tell(file: Path, least: int, tmp_path: Path) -> None:
    catalog = build(tmp_path, {}, {}).context("outlines").port(NodeCatalog)
    known = WrittenOutlines(file)
    assert len(known.rows) >= least
    for kind in known.rows:
        outline, node = known.of(kind), catalog.find(kind)
        assert outline is not None
        assert node is not None
        assert summary(outline) == summary(node), "run python tools/node_outlines.py"


def test_a_file_that_is_absent_tells_nothing(tmp_path: Path) -> None:
    assert WrittenOutlines(tmp_path / "absent.json").of("set") is None
