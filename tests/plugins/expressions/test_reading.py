"""What a source is taken to read: never less than it does read."""

from __future__ import annotations

import pytest

from jackfield.api.expressions import projected, projected_item
from jackfield.api.workflows import Item
from jackfield_expressions.reading import reads_of, script_reads


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        ("$json.a.b", {"a": {"b": None}}),
        ("$json.a + $json.b.c", {"a": None, "b": {"c": None}}),
        ("$json.a.b + $json.a", {"a": None}),
        ("$json.a + $json.a.b", {"a": None}),
        ("$json['a b'][0].c", {"a b": {"0": {"c": None}}}),
        ('$json?.["x"]?.y', {"x": {"y": None}}),
        ("$json.name.toUpperCase()", {"name": None}),
        ("$json.list.map((x) => x.y)", {"list": None}),
        ("$json.a?.b?.()", {"a": None}),
        ("$json.a.b`x`", {"a": None}),
        ("`${$json.a} and ${ $json.b }`", {"a": None, "b": None}),
        ("'$json.a'", {"a": None}),
        ("$json", None),
        ("({...$json})", None),
        ("$json[key]", None),
        ("$json.a[key].c", {"a": None}),
        ("$json.keys()", None),
        ("Object.keys($json.a)", {"a": None}),
        ("$input.item.json.a + $input.first().json.b + $input.last()?.json?.c", {"a": None, "b": None, "c": None}),
        ("$json\n  .a\n  .b", {"a": {"b": None}}),
        ("'https://example.com/' + $json.a", {"a": None}),
        ("1 + 1", {}),
        ("$json.it\\'s", {"it": None}),
        ("$json['it\\'s']", {"it's": None}),
        ("$json.größe", {"größe": None}),
        ("$json.a.नाम", {"a": None}),
        ("$json.a.cafe\u0301.b", {"a": None}),
        ("$json.a.x\u200cy", {"a": None}),
        ("$json.a['one\\ntwo']", {"a": None}),
        ("$json.a['caf\\xe9']", {"a": None}),
        ("$json.a['\\0']", {"a": None}),
        (r"""$json.a['say \"x\"']""", {"a": {'say "x"': None}}),
    ],
)
def test_fields_of_the_item(source: str, fields: object) -> None:
    reads = reads_of([source])
    assert reads.item == fields
    assert not reads.whole_items


@pytest.mark.parametrize(
    "source",
    [
        "$input.all()",
        "$input.item",
        "$input.item.binary.x",
        "$input['item'].json.a",
        "$binary.data",
        "$items()",
        "$item(0).$json.a",
        "$data.a",
        "$thisItem.json",
        "$json.a // .b",
        "$json /* x */ .a",
        "\\u0024json.a",
    ],
)
def test_the_item_is_read_whole(source: str) -> None:
    assert reads_of([source]).whole_items


@pytest.mark.parametrize(
    ("source", "fields", "paired"),
    [
        ("$('A').item.json.x.y", {"x": {"y": None}}, True),
        ("$('A').item.json.x.trim()", {"x": None}, True),
        ("$('A').first().json.x", {"x": None}, False),
        ("$('A').item.json.x + $('A').last().json.y", {"x": None, "y": None}, False),
        ("$('A').item.json", None, True),
        ("$('A').item.binary", None, False),
        ("$('A').all()", None, False),
        ("$('A').isExecuted", {}, True),
        ("$('A').params.url", {}, True),
        ("$node['A'].json.x", {"x": None}, False),
        ("$node.A.json.x.y", {"x": {"y": None}}, False),
        ("$node.A.binary", None, False),
        ("$items('A')", None, False),
        ("$('A')", None, False),
    ],
)
def test_fields_of_another_node(source: str, fields: object, paired: bool) -> None:
    reads = reads_of([source]).nodes["A"]
    assert (reads.fields, reads.paired) == (fields, paired)


@pytest.mark.parametrize(
    "source", ["(() => $json.ชื่อ)()", "(() => $json.नाम.x)()", "$json['Line\\nbreak'].at(0)", "$json['caf\\xe9'].at(0)"]
)
def test_a_name_that_is_not_understood_is_no_other_name(source: str) -> None:
    assert reads_of([source]).item is None


def test_sources_do_not_run_into_each_other() -> None:
    assert reads_of(["(x) => $json", "['a'].filter((x) => x)"]).item is None
    assert reads_of(["(x) => $('A').item.json", "['a'].filter((x) => x)"]).nodes["A"].fields is None


@pytest.mark.parametrize(
    "source",
    [
        "$('A\\nB').first().json.x",
        "$node.ชื่อ.json.x",
        "['A', 'B'].map($)",
        "((f) => f('A'))($)",
        "$.call(null, 'A')",
        "[$][0]('A')",
        "(({ params }) => params)($input)",
        "((i) => i.params)($input)",
    ],
)
def test_a_node_that_is_not_understood_may_be_any(source: str) -> None:
    assert reads_of([source]).everything


@pytest.mark.parametrize(
    "source",
    [
        "$json.a.replace('$', '')",
        "/^a$/.test($json.a)",
        "`cost: ${$json.a} $`",
        "$input.first().json.a",
        "'$' + $json.a",
    ],
)
def test_a_dollar_in_a_text_names_no_node(source: str) -> None:
    assert not reads_of([source]).everything


def test_a_computed_name_may_be_any_node() -> None:
    assert all(
        reads_of([source]).everything for source in ("$(x)", "$node[x]", "$items()", "$item(1).$node.A", "$ ('A' + b)")
    )
    assert not reads_of(["$('A').first().json.x"]).everything
    assert not script_reads("// a comment\nreturn $('A').all()").everything
    assert reads_of(["$/* x */(name)"]).everything
    assert reads_of(["\\u0024(name)"]).everything


@pytest.mark.parametrize(
    "source", ["$('A').item.json.x", "$('A').itemMatching(0)", "$('A')['pairedItem'](0)", "$(x).all()"]
)
def test_sources_that_trace_items(source: str) -> None:
    assert reads_of([source]).pairs


def test_a_code_node_reads_all_of_what_it_names() -> None:
    reads = script_reads("return $('A').first().json.x + $json.y")
    assert reads.whole_items
    assert reads.nodes["A"].fields is None


def test_a_value_with_fewer_fields() -> None:
    value = {"a": {"b": 1, "c": 2}, "l": [{"x": 1}], "t": "text", "n": None}
    assert projected(value, {"a": {"b": None}, "l": {"0": {"y": None}}, "t": {"length": None}, "n": {"x": None}}) == {
        "a": {"b": 1},
        "l": [{"x": 1}],
        "t": "text",
        "n": None,
    }
    assert projected(value, None) is value
    item: Item = {"json": {"a": 1, "b": 2}, "pairedItem": {"item": 0}}
    assert projected_item(item, {"a": None}) == {"json": {"a": 1}}
