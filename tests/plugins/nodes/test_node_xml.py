"""XML: the shapes of xml2js both ways, and nothing that a hostile document could use."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.data.xml.reading import ReadOptions, xml_to_json
from jackfield_nodes.data.xml.writing import WriteOptions, json_to_xml

SOURCE = '<r a="1"><b>x</b><b c="2">y</b><e/><n:d xmlns:n="u"> t &amp; u </n:d></r>'


async def read(bench: Bench, text: str, **options: Any) -> Any:
    ((json,),) = await bench.json("xml", 1, {"options": options}, items({"data": text}))
    return json


READ: list[tuple[dict[str, Any], Any]] = [
    ({}, {"r": {"a": "1", "b": ["x", {"c": "2", "_": "y"}], "e": "", "n:d": {"xmlns:n": "u", "_": " t & u "}}}),
    ({"mergeAttrs": False, "attrkey": "@", "charkey": "#", "trim": True},
     {"r": {"@": {"a": "1"}, "b": ["x", {"@": {"c": "2"}, "#": "y"}], "e": "",
            "n:d": {"@": {"xmlns:n": "u"}, "#": "t & u"}}}),
    ({"ignoreAttrs": True, "explicitRoot": False, "normalize": True}, {"b": ["x", "y"], "e": "", "n:d": "t & u"}),
    ({"explicitArray": True, "ignoreAttrs": True}, {"r": {"b": ["x", "y"], "e": [""], "n:d": [" t & u "]}}),
]  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), READ)
async def test_reading(bench: Bench, options: dict[str, Any], expected: Any) -> None:
    """Text alone is a string, several children are a list, an empty element is an empty text, names keep prefixes."""
    assert await read(bench, SOURCE, **options) == expected


async def test_names_in_lower_case(bench: Bench) -> None:
    assert await read(bench, "<A><B>x</B></A>", normalizeTags=True) == {"a": {"b": "x"}}


async def test_a_text_is_unicode_whatever_it_declares(bench: Bench) -> None:
    assert await read(bench, '\ufeff <?xml version="1.0" encoding="UTF-16"?><a>ä</a>') == {"a": "ä"}
    assert xml_to_json("<a>ä</a>".encode("utf-16"), ReadOptions()) == {"a": "ä"}


async def test_a_hostile_declaration_is_refused_at_once(bench: Bench) -> None:
    began = time.monotonic()
    for text in ("<?xml" + " " * 500_000 + "<a/>", "<?xml" + " encoding=" * 100_000 + "?><a/>"):
        with pytest.raises(NodeError, match="The XML is not valid"):
            await read(bench, text)
    assert time.monotonic() - began < 2


async def test_a_mere_text_gets_a_field(bench: Bench) -> None:
    assert await read(bench, "<a>x</a>", explicitRoot=False) == {"data": "x"}


ENTITIES = [
    '<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>',
    '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r>&a;</r>',
    '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><r>&b;</r>',
    '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x">%p;]><r/>',
]


@pytest.mark.parametrize("text", ENTITIES)
async def test_entities_are_refused(bench: Bench, text: str) -> None:
    with pytest.raises(NodeError, match="defines entities"):
        await read(bench, text)


async def test_a_document_type_alone_is_no_harm(bench: Bench) -> None:
    assert await read(bench, "<!DOCTYPE html><html><p>x</p></html>") == {"html": {"p": "x"}}


async def test_errors(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"XML is not valid: mismatched tag \(line 2, column"):
        await read(bench, "<a>\n<b></a>")
    with pytest.raises(NodeError, match="more than 200 levels"):
        await read(bench, "<a>" * 300)
    with pytest.raises(NodeError, match="XML is not valid"):
        await read(bench, "")
    with pytest.raises(NodeError, match="no field 'data'"):
        await bench.json("xml", 1, {}, items({"x": 1}))


WRITTEN: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"r": {"a": [1, "x"], "b": None, "c": {"d": True}}}, {},
     "<r>\n  <a>1</a>\n  <a>x</a>\n  <b/>\n  <c>\n    <d>true</d>\n  </c>\n</r>"),
    ({"a": 1, "b": "<&>"}, {}, "<root>\n  <a>1</a>\n  <b>&lt;&amp;&gt;</b>\n</root>"),
    ({"a": "<"}, {"rootName": "top"}, "<top>\n  <a>&lt;</a>\n</top>"),
    ({"a": {"$": {"id": 'x"<\n'}, "_": "text"}}, {}, '<a id="x&quot;&lt;&#xA;">text</a>'),
    ({"a": {"@": {"id": 1}, "b": 2}}, {"attrkey": "@"}, '<a id="1">\n  <b>2</b>\n</a>'),
    ({"a": "x ]]> <y>"}, {"cdata": True}, "<a><![CDATA[x ]]]]><![CDATA[> <y>]]></a>"),
    ({"a": [1, 2]}, {}, "<a/>"),
    ({"r": {"a": [1, 2]}}, {}, "<r>\n  <a>1</a>\n  <a>2</a>\n</r>"),
]  # fmt: skip


@pytest.mark.parametrize(("given_", "options", "expected"), WRITTEN)
async def test_writing(bench: Bench, given_: dict[str, Any], options: dict[str, Any], expected: str) -> None:
    """The only field is the root, unless a name is given."""
    parameters = {"mode": "jsonToxml", "options": {"headless": True, **options}}
    assert await bench.json("xml", 1, parameters, items(given_)) == [[{"data": expected}]]


async def test_a_large_object_is_written_off_the_event_loop(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def told(*_: Any) -> str:
        threads.append(threading.current_thread().name)
        return "<a/>"

    monkeypatch.setattr("jackfield_nodes.data.xml.node.json_to_xml", told)
    for value in ({"a": 1}, {"a": [1] * 1000}, {"a": ["x" * 70_000]}):
        await bench.json("xml", 1, {"mode": "jsonToxml"}, items(value))
    assert [name == "MainThread" for name in threads] == [True, False, False]


async def test_the_declaration(bench: Bench) -> None:
    ((json,),) = await bench.json("xml", 1, {"mode": "jsonToxml", "dataPropertyName": "x"}, items({"a": 1}))
    assert json == {"x": '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a>1</a>'}


@pytest.mark.parametrize("name", ["1a", "a b", "", "<a>", "a\n"])
async def test_a_field_that_is_no_name(bench: Bench, name: str) -> None:
    with pytest.raises(NodeError, match="cannot be the name of an XML element"):
        await bench.json("xml", 1, {"mode": "jsonToxml"}, items({name: 1}))


async def test_a_control_character_is_an_error(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"U\+0000"):
        await bench.json("xml", 1, {"mode": "jsonToxml"}, items({"a": "b\x00c"}))


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,6}", fullmatch=True).filter(lambda name: name not in ("$", "_"))
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=10).filter(
    lambda text: text == "" or (text.strip() != "" and not any(char in text for char in "\ufffe\uffff"))
)
VALUES = st.recursive(TEXTS, lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3), max_leaves=8)


@given(st.dictionaries(NAMES, VALUES, min_size=2, max_size=4))
def test_what_is_written_is_read_again(value: dict[str, Any]) -> None:
    text = json_to_xml(value, WriteOptions())
    assert xml_to_json(text, ReadOptions()) == {"root": value}
