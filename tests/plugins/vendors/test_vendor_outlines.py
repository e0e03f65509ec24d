"""What lists show of shipped nodes without making them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.outlines import written
from jackfield.core.building import build
from jackfield_vendors.catalogue import KINDS, description_file
from jackfield_vendors.outlines import VendorOutlines, vendor_row
from jackfield_workflows.routes.node_type_views import summary


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> NodeCatalog:
    return build(tmp_path_factory.mktemp("outlines"), {}, {}).context("outlines").port(NodeCatalog)


def test_outlines_tell_what_the_nodes_tell(catalog: NodeCatalog) -> None:
    """Of descriptions that have changed nothing is told; `tools/node_outlines.py` writes them down again."""
    known = VendorOutlines()
    told = {kind: outline for kind in KINDS if (outline := known.of(kind, description_file(kind))) is not None}
    assert len(told) > len(KINDS) * 3 / 4, "run python tools/node_outlines.py"
    for kind, outline in told.items():
        node = catalog.find(kind)
        assert node is not None
        assert summary(outline) == summary(node), "run python tools/node_outlines.py"


def test_a_changed_description_or_none_at_all_is_not_known(catalog: NodeCatalog, tmp_path: Path) -> None:
    described = tmp_path / "slack.toml"
    described.write_bytes(description_file("slack").read_bytes())
    node = catalog.find("slack")
    assert node is not None
    file = tmp_path / "outlines.json"
    file.write_text(written({"slack": vendor_row(node, described)}))
    known = VendorOutlines(file)
    found = known.of("slack", described)
    assert found is not None
    assert summary(found) == summary(node)
    described.write_bytes(described.read_bytes() + b"\n")
    assert known.of("slack", described) is None
    assert known.of("absent", described) is None
    assert VendorOutlines(tmp_path / "absent.json").of("slack", described) is None
