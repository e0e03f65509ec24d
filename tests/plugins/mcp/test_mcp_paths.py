"""Names in paths: none leads from the operation that a tool means to another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.mcp.tool_sources import ToolFailed
from jackfield_mcp.caller import segment, segments


@given(st.text(st.characters(blacklist_categories=("Cs",)), max_size=40))
def test_a_name_is_one_part_of_a_path_or_none(name: str) -> None:
    try:
        found = segment(name)
    except ToolFailed:
        assert "/" in name or name in ("", ".", "..")
    else:
        assert found
        assert not set(found) & set("/?#%&") - {"%"}
        assert found not in (".", "..")


@pytest.mark.parametrize("name", ["a/b", "../credentials", "x/versions", "/", "", ".", ".."])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ToolFailed):
        segment(name)


@pytest.mark.parametrize("name", ["../x", "a/../b", "a//b", "./a", "", "/"])
def test_what_leads_elsewhere(name: str) -> None:
    with pytest.raises(ToolFailed):
        segments(name)


def test_types_of_vendors_have_slashes() -> None:
    assert segments("@apify/n8n-nodes-apify.apify") == "%40apify/n8n-nodes-apify.apify"
    assert segments("/hooks/a b") == "hooks/a%20b"
