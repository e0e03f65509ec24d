"""Credentials of databases are tried against real servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from integration_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield_integrations.connection_tests import kinds

SERVERS = {
    "imap": "imap",
    "kafka": "kafka",
    "mongoDb": "mongo",
    "mqtt": "mqtt",
    "mySql": "mariadb",
    "postgres": "postgres",
    "rabbitmq": "rabbitmq",
    "redis": "redis",
}

WRONG = {"kafka": {"authentication": "true", "username": "ada"}}
"""Further values of a credential that is refused."""


async def tried(bench: Bench, kind: str, values: Any) -> str:
    connection_test = next(one.connection_test for one in kinds(bench.context) if one.name == kind)
    assert connection_test is not None
    return await connection_test(values)


@pytest.mark.parametrize("kind", SERVERS)
async def test_a_good_credential_signs_in(bench: Bench, kind: str, request: pytest.FixtureRequest) -> None:
    values = request.getfixturevalue(SERVERS[kind])
    assert "accepted the credential" in await tried(bench, kind, values)
    with pytest.raises(NodeError) as caught:
        await tried(bench, kind, {**values, **WRONG.get(kind, {}), "user": "nobody", "password": "wrong-password"})
    assert "wrong-password" not in caught.value.message


@pytest.mark.parametrize("kind", SERVERS)
async def test_inner_addresses_are_not_reached(make_bench: Callable[..., Bench], kind: str) -> None:
    bench = make_bench(allowed_hosts=[])
    with pytest.raises(NodeError, match=r"not on the public internet|needs the package"):
        await tried(bench, kind, {"host": "127.0.0.1", "hostname": "127.0.0.1", "brokers": "127.0.0.1"})


def test_the_others_have_no_trial(bench: Bench) -> None:
    assert {one.name for one in kinds(bench.context) if one.connection_test} == {*SERVERS, "aws", "ldap", "snowflake"}
