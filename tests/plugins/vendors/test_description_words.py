"""What descriptions of services say beyond the simple: chosen names, filters, pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Seen, reply
from vendor_lab import Lab

from jackfield_vendors.shapes import shape_of
from jackfield_vendors.templates import MISSING, Scope, compiled, value_of

VALUES: Any = {"fields": "a, c", "row": {"a": 1, "b": 2, "c": ""}, "all": []}


@pytest.mark.parametrize(
    ("shape", "made"),
    [
        ({"$merge": ["{row}"], "$only": "{fields | csv}"}, {"a": 1}),
        ({"$merge": ["{row}"], "$only": ["b"]}, {"b": 2}),
        ({"$merge": ["{row}"], "$without": "{fields | csv}"}, {"b": 2}),
        ({"$merge": ["{row}"], "$only": "{none}"}, MISSING),
    ],
)
def test_names_are_chosen_by_values(shape: Any, made: Any) -> None:
    assert shape_of(shape, "body", lambda *_: None)(Scope(VALUES, {})) == made


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{'email' | capital}", "Email"),
        ("{'#ff0000' | hex}", 0xFF0000),
        ("{'red' | hex}", MISSING),
        ("{'2020-12-03T10:08:14.000Z' | millis}", 1606990094000),
        ("{'2020-12-03T10:08:14' | millis}", 1606990094000),
        ("{'1606990094000' | millis}", 1606990094000),
        ("{'soon' | millis}", MISSING),
    ],
)
def test_filters(template: str, value: Any) -> None:
    found = value_of(compiled(template), Scope({}, {}))
    assert found is value if value is MISSING else found == value


PAGED = """
[node]
kind = "@acme/n8n-nodes-acme.acme"
title = "Acme"
base_url = "{base}"
parameters = [{{ name = "returnAll", type = "boolean", default = true }}, {{ name = "limit", type = "number" }}]

[[operations]]
path = "/rows"
query = {{ "$top" = 5, "$merge" = ["{{more}}"] }}
parameters = [{{ name = "more", type = "object" }}]
paging = {paging}
"""


@pytest.mark.parametrize(
    ("paging", "second"),
    [
        ('{ kind = "offset", send = "skip", size = "take", most = 3 }', "&take=3&skip=3"),
        ('{ kind = "offset", send = "skip", size = "take", most = 3, first = 1 }', "&take=3&skip=4"),
        ('{ kind = "page", send = "page", size = "take", most = 3 }', "&take=3&page=2"),
        ('{ kind = "page", send = "page", size = "take", most = 3, first = 0 }', "&take=3&page=1"),
        ('{ kind = "last", send = "after", read = "id", size = "take", most = 3 }', "&take=3&after=3"),
    ],
)
async def test_a_short_page_is_the_last(lab: Lab, server: Loopback, paging: str, second: str) -> None:
    def answer(seen: Seen) -> bytes:
        return reply([{"id": n} for n in ((1, 2, 3) if len(server.seen) == 1 else (4,))])

    server.answer = answer
    path: Path = lab.directory / "acme.toml"
    path.write_text(PAGED.format(base=server.url(""), paging=paging))
    found = await lab.json("acme", None, {"more": {"q": "x"}}, node=lab.node(path))
    assert [row["id"] for row in found] == [1, 2, 3, 4]
    assert len(server.seen) == 2
    assert server.seen[1].target == f"/rows?q=x&%24top=5{second}"
