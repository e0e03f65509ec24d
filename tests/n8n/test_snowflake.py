"""The Snowflake node beside n8n's own: n8n's asks through Snowflake's driver, ours through the SQL API, so that the
statements, their values, the items and what the key signs can be compared.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jwt
import pytest
from tests.plugins.integrations.snowflake_double import VALUES, Result, SqlApi, ThereClient, private
from tests.plugins.nodes.loopback import Seen, loopback, reply
from tests.plugins.nodes.node_fakes import KeepingContext

from jackfield.api.nodes import NodeError
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.snowflake.node import SnowflakeNode
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings

from . import installing

SCRIPT = Path(__file__).with_name("snowflake.js")
SECONDS = 120
EVERY = Result(
    [
        ("TEXT", "text"),
        ("WHOLE", "fixed"),
        ("PART", "fixed"),
        ("REAL", "real"),
        ("YES", "boolean"),
        ("DAY", "date"),
        ("CLOCK", "time"),
        ("BARE", "timestamp_ntz"),
        ("LOCAL", "timestamp_ltz"),
        ("ZONED", "timestamp_tz"),
        ("ANY", "variant"),
        ("OBJ", "object"),
        ("LIST", "array"),
        ("BYTES", "binary"),
    ],
    [
        [
            "ü",
            "42",
            "1.50",
            "2.5e3",
            "true",
            "19723",
            "82919.123456789",
            "1611871901.123456789",
            "1611871901.999999999",
            "1616173619.000000000 1530",
            '{"a": [1, null]}',
            '{"b": "x"}',
            "[1, 2]",
            "00FF41",
        ],
        [None] * 6 + ["1.000000000"] + [None] * 7,  # n8n's driver makes the text NULL of a TIME that is not there
        [
            "",
            "-7",
            "2.00",
            "-0.25",
            "false",
            "-1",
            "0.000000000",
            "-1.500000000",
            "0.000000000",
            "-86400.250000000 1050",
            '"text"',
            "{}",
            "[]",
            "",
        ],
        [
            "big",
            "12345678901234567890",
            "0",
            "1e300",
            "true",
            "2932896",
            "86399.999999999",
            "253402300799.999999000",
            "-62135596800.000000000",
            "1616173619.000000000 1440",
            "7",
            '{"c": {"d": []}}',
            "[[]]",
            "41",
        ],
    ],
)
NONE = Result([("number of rows inserted", "fixed")], [["1"]])
ROW = {"id": 3, "name": "N", "rate": 1.5, "on": True, "note": None, "more": {"a": 1}, "left": "x"}
COLUMNS = 'id, name,rate,"on",note,more,absent'


@dataclass(frozen=True)
class Case:
    label: str
    parameters: Mapping[str, Any]
    result: Result = NONE
    version: float = 1.1
    items: Sequence[Mapping[str, Any]] = ({},)
    credential: Mapping[str, str] = field(default_factory=dict)
    fails: str = ""
    """What both say of the failure."""


def query(label: str, text: str, replacement: Any = None, result: Result = NONE, version: float = 1.1) -> Case:
    options = {} if replacement is None else {"queryReplacement": replacement}
    return Case(label, {"operation": "executeQuery", "query": text, "options": options}, result, version)


CASES = [
    query("every type", "SELECT 1", None, EVERY),
    query("every type, version 1", "SELECT 1", None, EVERY, 1),
    query("no rows", "SELECT 1", None, Result([("A", "fixed")], [])),
    query("values in a text", "SELECT ?, :2", "a, b c"),
    query("values in a list", "SELECT ?, ?, ?, ?", ["a,b", 5, True, None]),
    replace(query("a number alone", "SELECT ?", 5), fails="must be a"),
    Case("insert", {"operation": "insert", "table": "shop.People", "columns": COLUMNS}, items=[ROW]),
    Case("insert quoted", {"operation": "insert", "table": 'shop."a.b ""c"""', "columns": 'id,"Na""me"'}, items=[ROW]),
    Case("update", {"operation": "update", "table": "People", "columns": COLUMNS}, items=[ROW, {"id": 4}]),
    Case(
        "update by another",
        {"operation": "update", "table": "People", "updateKey": "name", "columns": "rate"},
        items=[ROW],
    ),
    Case(
        "a sealed key",
        {"operation": "executeQuery", "query": "SELECT 1"},
        credential={"privateKey": private("secret").replace("\n", " "), "passphrase": "secret"},
    ),
]


def as_in_javascript(digits: str) -> int | float:
    """Whole numbers beyond 2^53 are written there with the digits that count, and zeros."""
    return number if abs(number := int(digits)) <= 2**53 else float(number)


@pytest.fixture(scope="module")
def theirs() -> Mapping[str, Any]:
    asked = [
        {
            "version": case.version,
            "parameters": case.parameters,
            "items": case.items,
            "credential": {**VALUES, **case.credential},
            "result": {"columns": case.result.columns, "rows": case.result.rows},
        }
        for case in CASES
    ]
    try:
        command, place = [installing.node(), str(SCRIPT)], installing.directory()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    done = subprocess.run(
        command, cwd=place, input=json.dumps(asked).encode(), capture_output=True, timeout=SECONDS, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1], parse_int=as_in_javascript)
    return {case.label: one for case, one in zip(CASES, found, strict=True)}


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
async def test_the_same_is_asked_and_given(case: Case, theirs: Mapping[str, Any], tmp_path: Path) -> None:
    found = theirs[case.label]
    api = SqlApi()
    if case.result is not NONE:
        api.results[str(case.parameters["query"])] = case.result
    files = MemoryFiles()
    context = KeepingContext(tmp_path, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"]), IntegrationSettings()])
    tokens: list[str] = []

    def answer(seen: Seen) -> bytes:
        tokens.append(seen.headers["authorization"].removeprefix("Bearer "))
        status, headers, body = api.answer(seen)
        return reply(body, f"{status} X", **{name.replace("-", "_"): value for name, value in headers.items()})

    async with loopback() as server:
        server.answer = answer
        context.ports["HttpClient"] = ThereClient(GuardedClient(context), server.url(""))
        node = SnowflakeNode(context)
        run = FakeNodeRun(
            node,
            case.parameters,
            [{"json": dict(one)} for one in case.items],
            version=case.version,
            credentials={"snowflake": {**VALUES, **case.credential}},
            binary=files,
        )
        try:
            (made,) = await node.execute(run)  # type: ignore[misc]  # outputs
            told = ""
        except NodeError as exc:
            told = exc.message
        for task in context.tasks:
            task.cancel()
        await asyncio.gather(*context.tasks, return_exceptions=True)
    assert (case.fails in told, case.fails in found.get("error", "")) == (True, True), (told, found)
    if case.fails:
        assert not api.asked
        assert not found["asked"]
        return
    assert not told
    assert "error" not in found, found
    assert [one["statement"] for one in api.asked] == [one["statement"].removesuffix(";") for one in found["asked"]]
    assert [sent(one) for one in api.asked] == [bound(one["values"]) for one in found["asked"]]
    assert [item["json"] for item in made] == [item["json"] for item in found["items"]]
    assert [sorted(item.get("binary", ())) for item in made] == [
        sorted(item.get("binary", ())) for item in found["items"]
    ]
    assert signed(tokens[0]) == signed(found["token"])


def sent(asked: Mapping[str, Any]) -> list[Any]:
    return [one["value"] for one in asked.get("bindings", {}).values()]


def bound(values: Sequence[Any]) -> list[Any]:
    """As the driver sends them: what is no text as JSON."""
    flat = [one for row in values for one in (row if isinstance(row, list) else [row])]
    return [one if one is None or isinstance(one, str) else json.dumps(one, separators=(",", ":")) for one in flat]


def signed(token: str) -> tuple[str, str]:
    claims = jwt.decode(token, options={"verify_signature": False})
    return claims["iss"], claims["sub"]
