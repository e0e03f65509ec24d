"""Merging generated keys into documents that people edit."""

from __future__ import annotations

import copy
import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_profiles.generated.formats import Format, JsonFormat
from jackfield_profiles.generated.merging import MergeConflict, Owned, digest, leaves, merge
from jackfield_profiles.generated.toml_format import TomlFormat

KEYS = st.sampled_from(["a", "b", "c.d", "e f", "ü", '"q"'])
SCALARS = st.one_of(st.booleans(), st.integers(-(2**60), 2**60), st.text(max_size=8), st.lists(st.integers(0, 9)))
TREES = st.recursive(
    st.dictionaries(KEYS, SCALARS, max_size=4),
    lambda inner: st.dictionaries(KEYS, st.one_of(SCALARS, inner), max_size=4),
    max_leaves=12,
)
FORMATS: list[Format] = [JsonFormat(), TomlFormat()]


def text_of(kind: Format, tree: dict[str, Any]) -> str:
    import tomli_w

    return JsonFormat.printed(tree) if kind.name == "json" else tomli_w.dumps(tree)


def without_nul(tree: Any) -> Any:
    """TOML has no control characters in keys, and texts must not have half surrogates."""
    return json.loads(json.dumps(tree).replace("\\u0000", ""))


def at(tree: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        tree = tree[part]
    return tree


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
@given(theirs=TREES, first=TREES, second=TREES)
def test_ours_end_as_generated_and_theirs_stay(kind: Format, theirs: Any, first: Any, second: Any) -> None:
    theirs, first, second = without_nul(theirs), without_nul(first), without_nul(second)
    start = text_of(kind, theirs)
    try:
        once, merged = kind.merged(start, first, Owned())
        twice, again = kind.merged(once, second, merged.owned)
    except MergeConflict:
        return
    found = kind.parse(twice)
    for path, value in leaves(second):
        if not isinstance(value, dict):
            assert digest(at(found, path)) == digest(value)
    ours = {path for tree in (first, second) for path, _ in leaves(tree)}
    for path, value in leaves(theirs):
        if path not in ours and not isinstance(value, dict):
            assert digest(at(found, path)) == digest(value)
    assert kind.merged(twice, second, again.owned)[0] == twice


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
@given(theirs=TREES, generated=TREES)
def test_what_is_no_longer_generated_leaves_no_trace(kind: Format, theirs: Any, generated: Any) -> None:
    theirs, generated = without_nul(theirs), without_nul(generated)
    try:
        once, merged = kind.merged(text_of(kind, theirs), generated, Owned())
    except MergeConflict:
        return
    after = kind.parse(kind.merged(once, {}, merged.owned)[0])
    if not merged.taken:
        assert digest(after) == digest(theirs)


@given(theirs=TREES, generated=TREES)
def test_toml_and_json_merge_to_the_same(theirs: Any, generated: Any) -> None:
    theirs, generated = without_nul(theirs), without_nul(generated)
    found = []
    for kind in FORMATS:
        try:
            text, merged = kind.merged(text_of(kind, theirs), generated, Owned())
        except MergeConflict as exc:
            found.append(str(exc))
        else:
            found.append(digest([kind.parse(text), sorted(merged.owned.leaves.items()), merged.taken]))
    assert found[0] == found[1]


def test_a_changed_value_of_ours_stays_when_it_is_no_longer_generated() -> None:
    document: dict[str, Any] = {}
    owned = merge(document, {"a": {"x": 1, "y": 2}}, Owned(), dict).owned
    document["a"]["x"] = "by hand"
    merge(document, {}, owned, dict)
    assert document == {"a": {"x": "by hand"}}


def test_a_value_that_was_there_before_is_not_ours() -> None:
    document: dict[str, Any] = {"model": "m", "other": 1}
    merged = merge(document, {"model": "m"}, Owned(), dict)
    assert (dict(merged.owned.leaves), merged.taken) == ({}, False)
    merge(document, {}, merged.owned, dict)
    assert document == {"model": "m", "other": 1}


def test_replacing_a_value_of_somebody_else_is_told() -> None:
    assert merge({"model": "theirs"}, {"model": "ours"}, Owned(), dict).taken


def test_one_is_not_true() -> None:
    document: dict[str, Any] = {"a": 1}
    merge(document, {"a": True}, Owned(), dict)
    assert document["a"] is True


@pytest.mark.parametrize(
    ("document", "generated", "key"),
    [({"a": 5}, {"a": {"b": 1}}, "a"), ({"a": {"b": {"mine": 1}}}, {"a": {"b": 2}}, "a.b"), ({"a": {}}, {"a": 1}, "a")],
)
def test_a_value_where_a_table_is_wanted_is_a_conflict(document: Any, generated: Any, key: str) -> None:
    with pytest.raises(MergeConflict, match=f"the key {key} is"):
        merge(document, generated, Owned(), dict)


def test_tables_of_ours_give_way_to_a_value_and_back() -> None:
    document: dict[str, Any] = {"mine": 1}
    owned = merge(document, {"a": {"b": {"c": 1}}}, Owned(), dict).owned
    owned = merge(document, {"a": "text"}, owned, dict).owned
    assert document == {"mine": 1, "a": "text"}
    merge(document, {"a": {"b": 2}}, owned, dict)
    assert document == {"mine": 1, "a": {"b": 2}}


def test_comments_and_order_of_toml_stay() -> None:
    text = '# mine\nmodel = "old"  # why\n\n[z]\n# of z\nkeep = [1, 2]\n\n[a]\nx = 1\n'
    written, _ = TomlFormat().merged(text, {"model": "new", "z": {"more": 2}, "top": True}, Owned())
    assert written.index("# mine") < written.index("# why") < written.index("[z]") < written.index("[a]")
    assert "# of z" in written
    assert tomllib.loads(written) == {"model": "new", "top": True, "z": {"keep": [1, 2], "more": 2}, "a": {"x": 1}}


def test_times_and_tables_in_lists_of_toml_stay() -> None:
    text = "when = 2024-05-06T07:08:09Z\n[[server]]\nname = 'a'\n[[server]]\nname = 'b'\n"
    written, merged = TomlFormat().merged(text, {"x": {"list": [{"k": 1}, {"k": 2}]}}, Owned())
    assert tomllib.loads(written)["x"]["list"] == [{"k": 1}, {"k": 2}]
    assert TomlFormat().merged(written, {}, merged.owned)[0].strip() == text.strip()


def test_indentation_of_json_stays() -> None:
    written, _ = JsonFormat().merged('{\n\t"a": "é"\n}\n', {"b": 1}, Owned())
    assert written == '{\n\t"a": "é",\n\t"b": 1\n}\n'


@pytest.mark.parametrize(
    "text", ['{"a": 1,}', "// c\n{}", "[1]", '{"a": NaN}', "[" * 5000, '{"a":' * 100 + "1" + "}" * 100]
)
def test_json_that_cannot_be_kept_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        JsonFormat().merged(text, {"b": 1}, Owned())


def test_the_input_is_left_alone() -> None:
    generated = {"a": {"list": [1]}}
    before = copy.deepcopy(generated)
    document: dict[str, Any] = {}
    written, _ = JsonFormat().merged("", generated, Owned())
    assert json.loads(written) == generated == before
    merge(document, generated, Owned(), dict)
