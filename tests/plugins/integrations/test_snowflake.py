"""The Snowflake node beside a double of the SQL API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from integration_fakes import Bench, rows
from loopback import Loopback, Seen, loopback, reply
from node_fakes import CredentialRun, KeepingContext
from snowflake_double import HOST, TOKEN, VALUES, Result, SqlApi, ThereClient, private
from tests.plugins.triggers.vendor_trigger_lab import Bearer

from jackfield.api.http_client import Authorization, HttpCall
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.testing.binary import MemoryFiles
from jackfield_integrations.connection_tests import kinds
from jackfield_integrations.kinds import SNOWFLAKE, SNOWFLAKE_OAUTH2
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.snowflake import session
from jackfield_integrations.snowflake.keys import pem
from jackfield_integrations.snowflake.statements import column_sql, row_bindings, table_sql
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings

QUERY = "SELECT * FROM t WHERE a = ? AND b = ?"


class Token(Bearer):
    async def apply(self, call: HttpCall) -> HttpCall:
        return replace(call, headers=[*call.headers, ("authorization", f"Bearer {TOKEN}")])


@dataclass
class SnowflakeRun(CredentialRun):
    async def authorization(self, kind: str) -> Authorization:
        return Token(kind)


class Lab:
    def __init__(self, directory: Path, server: Loopback, api: SqlApi) -> None:
        self.api = api
        self.server = server
        self.files = MemoryFiles()
        settings = IntegrationSettings(max_rows=50)
        self.context = KeepingContext(directory, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"]), settings])
        self.bench = Bench(directory, {"max_rows": 50})
        self.bench.context.ports["HttpClient"] = ThereClient(GuardedClient(self.context), server.url(""))
        self.type = self.bench.types["snowflake"]

    async def items(self, operation: str, given: Any = None, version: float = 1.1, **more: Any) -> Any:
        values = {**VALUES, **more.pop("values", {})}
        per_item = more.pop("each", None)
        run = SnowflakeRun(
            self.type,
            (lambda item: {"operation": operation, **more, **per_item(item)})
            if per_item
            else {"operation": operation, **more},
            rows({}) if given is None else given,
            version=version,
            credentials={"snowflake": values, "snowflakeOAuth2Api": {"account": "acme-one"}},
            kinds=[SNOWFLAKE, SNOWFLAKE_OAUTH2],
            on_error=more.pop("on_error", "stopWorkflow"),
            binary=self.files,
        )
        (items,) = await self.type.execute(run)  # type: ignore[misc]  # outputs
        return items

    async def run(self, *args: Any, **more: Any) -> list[Any]:
        return [item["json"] for item in await self.items(*args, **more)]


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Lab]:
    monkeypatch.setattr(session, "_FIRST_PAUSE", 0.001)
    async with loopback() as server:
        api = SqlApi()

        def answer(seen: Seen) -> bytes:
            status, headers, body = api.answer(seen)
            return reply(body, f"{status} X", **{name.replace("-", "_"): value for name, value in headers.items()})

        server.answer = answer
        made = Lab(tmp_path, server, api)
        yield made
        for task in made.context.tasks:
            task.cancel()
        await asyncio.gather(*made.context.tasks, return_exceptions=True)


async def test_values_are_bound_and_never_sql(lab: Lab) -> None:
    lab.api.results[QUERY] = Result([("A", "TEXT"), ("N", "FIXED")], [["x", "1"], [None, None]])
    hostile = "'; DROP TABLE t; --"
    made = await lab.run("executeQuery", query=QUERY, options={"queryReplacement": [hostile, 5]})
    assert made == [{"A": "x", "N": 1}, {"A": None, "N": None}]
    (asked,) = lab.api.asked
    assert asked == {
        "statement": QUERY,
        "timeout": 300,
        "bindings": {"1": {"type": "TEXT", "value": hostile}, "2": {"type": "FIXED", "value": "5"}},
        "database": "SHOP",
        "schema": "Mine",
        "warehouse": "SMALL",
    }
    await lab.run("executeQuery", query=QUERY, options={"queryReplacement": "a, b"})
    assert [one["value"] for one in lab.api.asked[-1]["bindings"].values()] == ["a", "b"]


async def test_a_statement_under_way_is_asked_for(lab: Lab) -> None:
    lab.api.results["SELECT 1"] = Result([("A", "FIXED")], [["1"]], under_way=3)
    assert await lab.run("executeQuery", query="SELECT 1") == [{"A": 1}]
    assert lab.api.questions == ["POST ", "GET /h-1", "GET /h-1", "GET /h-1"]


async def test_all_partitions_are_read(lab: Lab) -> None:
    many = [[str(number)] for number in range(25)]
    lab.api.results["SELECT 1"] = Result([("A", "FIXED")], many, parts=3)
    assert await lab.run("executeQuery", query="SELECT 1") == [{"A": number} for number in range(25)]
    assert lab.api.questions == ["POST ", "GET /h-1?partition=1", "GET /h-1?partition=2"]


async def test_questions_are_asked_again_of_a_busy_server(lab: Lab) -> None:
    lab.api.results["SELECT 1"] = Result([("A", "FIXED")], [["1"], ["2"]], parts=2, under_way=1)
    lab.api.busy = [429, 503]
    once = iter([504])
    lab.api.watched = lambda question: lab.api.busy.extend(once) if "partition" in question else None
    assert await lab.run("executeQuery", query="SELECT 1") == [{"A": 1}, {"A": 2}]
    assert lab.api.questions == ["POST ", *["GET /h-1"] * 3, *["GET /h-1?partition=1"] * 2]


async def test_times_that_are_written_already_stay_and_numbers_must_be_some(lab: Lab) -> None:
    lab.api.results["x"] = Result([("T", "TIMESTAMP_NTZ"), ("D", "DATE")], [["2019-08-10 23:56:34.123", "2019-08-10"]])
    assert await lab.run("executeQuery", query="x") == [{"T": "2019-08-10 23:56:34.123", "D": "2019-08-10"}]
    lab.api.results["x"] = Result([("N", "FIXED")], [["much"]])
    with pytest.raises(NodeError, match="a value of the column N that does not fit fixed"):
        await lab.run("executeQuery", query="x")


async def test_more_rows_than_the_setting_are_refused_before_they_are_fetched(lab: Lab) -> None:
    lab.api.results["SELECT 1"] = Result([("A", "FIXED")], [["1"]] * 51, parts=3)
    with pytest.raises(NodeError, match=r"more than 50 rows \(integrations.max_rows\)"):
        await lab.run("executeQuery", query="SELECT 1")
    assert lab.api.questions == ["POST "]


async def test_a_cancelled_run_cancels_its_statement(lab: Lab) -> None:
    lab.api.results["SELECT 1"] = Result(under_way=10**6)
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    lab.api.watched = lambda question: loop.call_soon_threadsafe(asked.set) if "GET" in question else None
    run = asyncio.create_task(lab.run("executeQuery", query="SELECT 1"))
    await asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert lab.api.questions[-1] == "POST /h-1/cancel"


async def test_a_failure_is_told_without_secrets_and_of_its_item_alone(lab: Lab) -> None:
    lab.api.results["bad"] = Result(message=f"SQL compilation error: {VALUES['privateKey']}", under_way=1)
    with pytest.raises(NodeError, match=r"status 422: SQL compilation error: \*\*\*"):
        await lab.run("executeQuery", query="bad")
    made = await lab.run(
        "executeQuery",
        rows({"q": "bad"}, {"q": "good"}),
        each=lambda item: {"query": item["json"]["q"]},
        on_error="continueRegularOutput",
    )
    assert "SQL compilation error" in made[0]["error"]
    assert made[1] == {"number of rows inserted": 1}


async def test_rows_are_inserted_in_few_statements(lab: Lab) -> None:
    given = rows(*({"id": number, "name": f"N{number}"} for number in range(2500)))
    made = await lab.run("insert", given, table='shop."my.table"', columns="id, name")
    assert made == [item["json"] for item in given]
    first, *_, last = lab.api.asked
    assert first["statement"].startswith('INSERT INTO "SHOP"."my.table" ("ID","NAME") VALUES (?,?),(?,?)')
    assert [len(one["bindings"]) // 2 for one in lab.api.asked] == [1000, 1000, 500]
    assert last["bindings"]["999"] == {"type": "FIXED", "value": "2499"}
    assert last["bindings"]["1000"] == {"type": "TEXT", "value": "N2499"}


async def test_rows_are_changed_one_after_another(lab: Lab) -> None:
    given = rows({"id": 1, "name": "a", "more": 0}, {"id": 2})
    assert await lab.run("update", given, table="t", columns="name") == [
        {"id": 1, "name": "a"},
        {"id": 2, "name": None},
    ]
    assert [one["statement"] for one in lab.api.asked] == ['UPDATE "T" SET "ID" = ?,"NAME" = ? WHERE "ID" = ?'] * 2
    assert [[one["value"] for one in asked["bindings"].values()] for asked in lab.api.asked] == [
        ["1", "a", "1"],
        ["2", None, "2"],
    ]


@pytest.mark.parametrize(
    ("operation", "more", "said"),
    [
        ("executeQuery", {"query": " "}, "query is empty"),
        ("executeQuery", {"query": "x", "options": {"queryReplacement": 5}}, "must be a list"),
        ("insert", {"table": "", "columns": "a"}, "table is empty"),
        ("insert", {"table": "t", "columns": ""}, "columns has an empty name"),
        ("update", {"table": "t", "columns": "a", "updateKey": ""}, "updateKey is empty"),
    ],
)
async def test_what_is_missing_is_told(lab: Lab, operation: str, more: Any, said: str) -> None:
    with pytest.raises(NodeError, match=said):
        await lab.run(operation, **more)
    assert not lab.api.asked


async def test_a_password_is_refused_with_the_remedy(lab: Lab) -> None:
    password = {"authentication": "password", "password": "pass-of-ada"}
    with pytest.raises(NodeError, match=r"takes no password.*choose keyPair"):
        await lab.run("executeQuery", query="SELECT 1", values=password)
    test = next(one.connection_test for one in kinds(lab.bench.context) if one.name == "snowflake")
    assert test is not None
    with pytest.raises(NodeError, match=r"takes no password.*choose keyPair"):
        await test({**VALUES, **password})
    assert not lab.server.seen
    assert await test(VALUES) == "Snowflake accepted the credential."
    assert lab.api.asked[-1]["statement"] == "SELECT 1"


async def test_oauth_sends_its_token(lab: Lab) -> None:
    made = await lab.run("executeQuery", query="x", authentication="oAuth2")
    assert made == [{"number of rows inserted": 1}]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"privateKey": "no key"}, "cannot be read"),
        ({"privateKey": private("secret")}, "needs its passphrase"),
        ({"privateKey": private("secret"), "passphrase": "other"}, "cannot be read"),
        ({"passphrase": "too much"}, "has no passphrase"),
        ({"account": "a/b"}, "no account identifier"),
        ({"host": "evil.example/x?"}, "no host name"),
        ({"allowedHosts": "other.example"}, f"may not be sent to {HOST}"),
    ],
)
async def test_credentials_that_cannot_be_used(lab: Lab, values: dict[str, str], said: str) -> None:
    with pytest.raises(NodeError, match=said):
        await lab.run("executeQuery", query="SELECT 1", values=values)
    assert not lab.server.seen


@pytest.mark.parametrize(
    "values",
    [
        {"privateKey": private().replace("\n", " ")},
        {"privateKey": private().replace("\n", "\\n")},
        {"privateKey": private("secret").replace("\n", " "), "passphrase": "secret"},
        {"account": "other", "host": HOST},
    ],
)
async def test_keys_are_read_however_forms_give_them(lab: Lab, values: dict[str, str]) -> None:
    if "host" in values:
        with pytest.raises(NodeError, match=r"status 401: JWT token is invalid") as failed:
            await lab.run("executeQuery", query="x", values=values)
        assert "eyJ" not in failed.value.message
    else:
        assert await lab.run("executeQuery", query="x", values=values) == [{"number of rows inserted": 1}]


async def test_binary_is_the_items_file(lab: Lab) -> None:
    lab.api.results["x"] = Result([("A", "BINARY"), ("N", "FIXED")], [["00FF", "1"]])
    (item,) = await lab.items("executeQuery", query="x")
    assert item["json"] == {"N": 1}
    assert await lab.files.read(item["binary"]["A"]) == b"\x00\xff"


@given(st.text(max_size=20))
def test_a_name_cannot_leave_its_quotes(name: str) -> None:
    for made in (column_sql(name), *([table_sql(name)] if "." not in name and '"' not in name else [])):
        assert made[0] == made[-1] == '"'
        assert '"' not in made[1:-1].replace('""', "")


@given(st.text(max_size=20))
def test_a_tables_parts_are_quoted_each(name: str) -> None:
    inside = False
    for place, char in enumerate(made := table_sql(name)):
        inside = not inside if char == '"' else inside
        assert inside or char in '".', (made, place)
    assert not inside


def test_tables() -> None:
    told = {
        "t": '"T"',
        "a.b.c": '"A"."B"."C"',
        '"a.b".c': '"a.b"."C"',
        '"a""b"."c"': '"a""b"."c"',
        "t.": '"T".""',
        "a b": '"A B"',
    }
    assert {name: table_sql(name) for name in told} == told


def test_a_column_of_several_types_is_text() -> None:
    made = row_bindings([[1, None, 1, {"a": 1}], ["x", 2, 1.5, None]])
    assert [one["type"] for one in made.values()] == ["TEXT", "FIXED", "REAL", "TEXT"] * 2
    assert [one["value"] for one in made.values()] == ["1", None, "1", '{"a":1}', "x", "2", "1.5", None]


def test_keys_that_are_none_stay_as_they_are() -> None:
    assert pem(" no key\\n") == b"no key"
