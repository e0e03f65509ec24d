"""Splitting templates into text and code."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_expressions.templates import split


def pieces(template: str) -> list[str]:
    """Code in angle brackets."""
    return [f"<{chunk.text}>" if chunk.code else chunk.text for chunk in split(template)]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("{{a}}", ["<a>"]),
        (" {{a}}", [" ", "<a>"]),
        ("{{a}} ", ["<a>", " "]),
        ("a {{b}} c {{ d }}", ["a ", "<b>", " c ", "< d >"]),
        ("{{a}}{{b}}", ["<a>", "<b>"]),
        ("{{ unclosed", ["< unclosed>"]),
        ("text {{", ["text "]),
        ("{{}}", ["<>"]),
        (r"\{{ no }}", [r"\{{ no }}"]),
        (r"\\{{ yes }}", ["\\", "< yes >"]),
        (r"a\\b {{ 1 }} a\\b", ["a\\b ", "< 1 >", r" a\\b"]),
        (r"{{ a\}} b }}", ["< a}} b >"]),
        ("a }} b", ["a }} b"]),
        ("{ {{a}} }", ["{ ", "<a>", " }"]),
        ("{{ {a: {b: 1}} }}", ["< {a: {b: 1}} >"]),
        ("{{ {a: {b: 1}}}} x", ["< {a: {b: 1}}>", " x"]),
        ("{{ '}}' }}", ["< '}}' >"]),
        ('{{ "}}" }}', ['< "}}" >']),
        (r"{{ 'it\'s }}' }}", [r"< 'it\'s }}' >"]),
        ("{{ `}}` }}", ["< `}}` >"]),
        ("{{ `a ${ {b: '}}'}.b } }}` }}!", ["< `a ${ {b: '}}'}.b } }}` >", "!"]),
        ("{{ `${`${'}}'}`}` }}", ["< `${`${'}}'}`}` >"]),
        ("{{ /}}/.test(x) }}", ["< /}}/.test(x) >"]),
        ("{{ x.replace(/[/}}]/g, '') }}", ["< x.replace(/[/}}]/g, '') >"]),
        ("{{ a / b }} / {{ c / d }}", ["< a / b >", " / ", "< c / d >"]),
        ("{{ (a) / 2 }}{{ b[0] / 2 }}", ["< (a) / 2 >", "< b[0] / 2 >"]),
        ("{{ /* }} */ a }}", ["< /* }} */ a >"]),
        ("{{ a // }}\n }}", ["< a // }}\n >"]),
        ("{{ x.map(i => { return {y: {z: i}} }) }}", ["< x.map(i => { return {y: {z: i}} }) >"]),
        ("{{ it's }} and {{ more }}", ["< it's >", " and ", "< more >"]),
        ("{{ (a }} b", ["< (a >", " b"]),
        ("{{ a ) }} b", ["< a ) >", " b"]),
        ("{{ typeof /}}/ }}", ["< typeof /}}/ >"]),
        ("{{ $json.größe }}", ["< $json.größe >"]),
    ],
)
def test_where_code_ends(template: str, expected: list[str]) -> None:
    assert pieces(template) == expected


fragments = st.sampled_from(
    ["{{", "}}", "\\", "{", "}", "(", ")", "[", "]", "'", '"', "`", "${", "/", "*", "\n", " ", "a", "$json.x", "0", "é"]
)


@given(st.lists(fragments, max_size=30).map("".join))
def test_the_chunks_make_the_template(template: str) -> None:
    chunks = split(template)
    assert "".join(chunk.raw for chunk in chunks) == template
    assert all(chunk.raw.startswith("{{") == chunk.code for chunk in chunks if chunk.code)
    assert not any(left.code is right.code is False for left, right in pairwise(chunks))


@given(st.lists(st.sampled_from(["a", "1 + 2", "{x: {y: 1}}", "'}}'", "`${1}`", "f(/}}/)", "[{}]"]), min_size=1))
def test_whole_code_is_found_again(codes: list[str]) -> None:
    template = "|".join(f"{{{{ {code} }}}}" for code in codes)
    assert [chunk.text.strip() for chunk in split(template) if chunk.code] == codes
