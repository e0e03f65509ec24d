"""Which nodes a Code node's source names, per language."""

from __future__ import annotations

import pytest

from jackfield_expressions.reading import script_reads


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("_('A').first()", {"A"}),
        ('_node["A B"].json', {"A B"}),
        ("_items('A')", {"A"}),
        ("my_('A')", set()),
        ("x_node['A']", set()),
        ("[_ for _ in range(3)]", set()),
    ],
)
def test_python_names_nodes_with_an_underscore(source: str, names: set[str]) -> None:
    found = script_reads(source, "python")
    assert set(found.nodes) == names
    assert found.whole_items
    assert not found.everything


def test_a_computed_name_reads_every_node() -> None:
    assert script_reads("_(name).all()", "python").everything


def test_javascript_has_no_names_with_an_underscore() -> None:
    assert not script_reads("_('A')").nodes


def test_other_languages_read_every_node() -> None:
    assert script_reads("nodes", "rhai").everything
