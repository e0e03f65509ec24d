"""What descriptions of services say beyond the simple: chosen names, filters, pages."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from loopback import Loopback, Seen, reply
from vendor_lab import Lab

from jackfield.api.http_client import HttpBody, HttpCall
from jackfield.api.jsontext import dumps, loads
from jackfield.api.nodes import NodeError
from jackfield_vendors import shapes
from jackfield_vendors.requests.exchange import secret_in
from jackfield_vendors.shapes import shape_of, value_of_shape
from jackfield_vendors.templates import MISSING, TemplateScope, compiled, value_of

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
    assert shape_of(shape, "body", lambda *_: None)(TemplateScope(VALUES, {})) == made


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
        ("{'inf' | epoch}", MISSING),
        ("{'nan' | number}", MISSING),
        ("{'9999999999999999' | later:1}", MISSING),
        ("{'\u00e9' | frombase64}", MISSING),
    ],
)
def test_filters(template: str, value: Any) -> None:
    found = value_of(compiled(template), TemplateScope({}, {}))
    assert found is value if value is MISSING else found == value


def test_a_pattern_is_not_looked_for_in_a_huge_text() -> None:
    text: Any = {"text": "a" * 100_001}
    assert value_of(compiled("{text | match:'a'}"), TemplateScope(text, {})) is MISSING


def test_a_function_that_recurses_too_deeply_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(given: Any) -> Any:
        return deep(given)

    monkeypatch.setattr(shapes, "FUNCTIONS", {"deep": deep})
    with pytest.raises(NodeError, match="nested too deeply"):
        shape_of({"$call": "deep"}, "value", lambda *_: None)(TemplateScope({}, {}))


@pytest.mark.parametrize("place", ["{0}", ["{0}"], {"$switch": "x", "$case": {"x": "{0}"}}])
async def test_a_slow_function_runs_in_a_thread(monkeypatch: pytest.MonkeyPatch, place: Any) -> None:
    ran: list[int] = []

    def noted(given: Any) -> Any:
        ran.append(threading.get_ident())
        return "done"

    monkeypatch.setattr(shapes, "FUNCTIONS", {"mail_parsed": noted, "zipped": noted})
    for name in ("mail_parsed", "zipped"):
        written = loads(dumps(place).replace(b'"{0}"', dumps({"$call": name})))
        assert "done" in str(await value_of_shape(written, "value", lambda *_: None).made(TemplateScope({}, {})))
    assert [one == threading.get_ident() for one in ran] == [False, True]


ADDRESS = """
[node]
kind = "acme"
title = "Acme"
base_url = "{base}/{{table}}/rows"
parameters = [{{ name = "table" }}, {{ name = "filter" }}, {{ name = "other", type = "boolean" }}]

[[operations]]
when = {{ other = true }}
url = "{base}/x/{{table}}?{{filter}}"

[[operations]]
path = "/all"
"""


@pytest.mark.parametrize(
    ("parameters", "target"),
    [
        ({"table": "../admin?a#"}, "/..%2Fadmin%3Fa%23/rows/all"),
        ({"table": "../admin", "filter": "a=eq.1&b=2", "other": True}, "/x/..%2Fadmin?a=eq.1&b=2"),
    ],
)
async def test_no_parameter_leaves_its_place_in_an_address(
    lab: Lab, server: Loopback, parameters: Any, target: str
) -> None:
    path = lab.directory / "acme.toml"
    path.write_text(ADDRESS.format(base=server.url("")))
    server.answer = lambda _: reply({})
    await lab.run("acme", None, parameters, node=lab.node(path))
    assert server.seen[0].target == target


@pytest.mark.parametrize("secret", ['p&w"x', "plain"])
def test_a_secret_in_a_body_is_seen(secret: str) -> None:
    for content in (dumps({"password": secret}), urlencode({"password": secret}).encode()):
        call = HttpCall("POST", "https://a.example", body=HttpBody(content))
        assert secret_in(call, [secret])
        assert not secret_in(call, ["other"])


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
