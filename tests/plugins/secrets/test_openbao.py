"""The source `vault` beside a real OpenBao: engines of both versions, ways to log in, policies, and an outage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openbao import OpenBao

from jackfield.api.secret_sources import SecretMissing, SecretRefused, SecretSource, SourceUnavailable
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_secrets.service import SecretSources

RULES = """
path "secret/data/*" { capabilities = ["read"] }
path "secret/metadata/*" { capabilities = ["list"] }
path "old/*" { capabilities = ["read", "list"] }
"""
Made = Callable[..., SecretSource]


@pytest.fixture(scope="module", autouse=True)
def filled(bao: OpenBao) -> None:
    bao.ask("POST", "sys/mounts/old", {"type": "kv", "options": {"version": "1"}})
    bao.ask("POST", "secret/data/app/db", {"data": {"user": "ada", "password": "hunter2-of-two"}})
    bao.ask("POST", "secret/data/flat", {"data": {"key": "flat-value"}})
    bao.ask("POST", "old/mail", {"password": "hunter2-of-one"})
    bao.ask("POST", "secret/data/gone", {"data": {"key": "x"}})
    bao.ask("DELETE", "secret/data/gone")


@pytest.fixture(scope="module")
def token(bao: OpenBao, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text(bao.token("reader", RULES) + "\n")
    return file


@pytest.fixture
def vault(bao: OpenBao, token: Path) -> dict[str, object]:
    return {"kind": "vault", "url": bao.url, "token_file": str(token)}


async def test_both_versions_of_the_engine(vault: dict[str, object], sources: Callable[..., SecretSources]) -> None:
    made = sources(vault=vault)
    values = {
        "nested": "={{ $secrets.vault.secret.app.db.password }}",
        "slash": '={{ $secrets.vault.secret["app/db"].user }}',
        "first": "=Bearer {{ $secrets.vault.old.mail.password }}!",
        "whole": "={{ $secrets.vault.secret.flat }}",
        "plain": "as it is",
    }
    found = await made.filled(values, "jackfield")
    assert found == {
        "nested": "hunter2-of-two",
        "slash": "ada",
        "first": "Bearer hunter2-of-one!",
        "whole": '{"key":"flat-value"}',
        "plain": "as it is",
    }


async def test_a_mount_of_the_settings(vault: dict[str, object], sources: Callable[..., SecretSources]) -> None:
    made = sources(vault={**vault, "mount": "secret"})
    found = await made.filled({"it": "={{ $secrets.vault.app.db.password }}"}, "jackfield")
    assert found == {"it": "hunter2-of-two"}
    assert await made.names(made.named("vault")) == [("app/db",), ("flat",), ("gone",)]


async def test_what_is_not_there(vault: dict[str, object], source: Made) -> None:
    made = source(**vault)
    for path in (("secret", "nothing"), ("secret", "gone"), ("nowhere", "x")):
        with pytest.raises((SecretMissing, SecretRefused)):
            await made.read(path)


async def test_names_are_of_every_mount_that_may_be_listed(vault: dict[str, object], source: Made) -> None:
    found = await source(**vault).names(10)
    assert sorted(found) == [("old", "mail"), ("secret", "app/db"), ("secret", "flat"), ("secret", "gone")]
    assert len(await source(**vault).names(2)) == 2


async def test_a_policy_that_does_not_let_us(bao: OpenBao, source: Made, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(bao.token("poor", 'path "old/*" { capabilities = ["read"] }'))
    made = source(kind="vault", url=bao.url, token_file=str(file))
    with pytest.raises(SecretRefused, match="policy"):
        await made.read(("secret", "app/db"))
    assert "takes the token" in await made.test()


async def test_a_token_that_was_replaced_is_read_anew(bao: OpenBao, source: Made, tmp_path: Path) -> None:
    file = tmp_path / "token"
    first = bao.token("reader", RULES)
    file.write_text(first)
    made = source(kind="vault", url=bao.url, token_file=str(file), mount="secret")
    assert await made.read(("secret", "flat")) == {"key": "flat-value"}
    bao.ask("POST", "auth/token/revoke", {"token": first})
    with pytest.raises(SecretRefused):
        await made.read(("secret", "flat"))
    file.write_text(bao.token("reader", RULES))
    assert await made.read(("secret", "flat")) == {"key": "flat-value"}


async def test_a_reference_leads_to_secrets_alone(vault: dict[str, object], source: Made) -> None:
    """Not to the daemon's own token, and not beside the mount that the settings name."""
    for settings in ({"version": 1}, {"version": 2}, {}):
        with pytest.raises((SecretMissing, SecretRefused)):
            await source(**vault, **settings).read(("auth", "token/lookup-self"))
    assert (await source(**vault, version=1).read(("old", "mail"))) == {"password": "hunter2-of-one"}
    made = source(**vault, mount="secret", version=2)
    for path in (("..", "auth", "token", "key"), ("../../old/mail", "password"), ("app", "./db", "user")):
        with pytest.raises(SecretMissing, match="no part that is"):
            made.place(path)


async def test_refusals_make_no_leases_at_the_server(
    bao: OpenBao, source: Made, clock: FakeClock, tmp_path: Path
) -> None:
    bao.ask("PUT", "sys/policies/acl/poor", {"policy": 'path "old/*" { capabilities = ["read"] }'})
    bao.ask("POST", "sys/auth/poor", {"type": "approle"})
    bao.ask("POST", "auth/poor/role/app", {"token_policies": "poor", "token_ttl": "600"})
    role = bao.ask("GET", "auth/poor/role/app/role-id")["data"]["role_id"]
    file = tmp_path / "secret-id"
    file.write_text(bao.ask("POST", "auth/poor/role/app/secret-id")["data"]["secret_id"])
    given = {"kind": "vault", "url": bao.url, "auth": "approle", "auth_mount": "poor", "mount": "secret", "version": 2}
    made = source(**given, role_id=role, secret_id_file=str(file))
    before = len(bao.ask("GET", "auth/token/accessors?list=true")["data"]["keys"])
    for _ in range(5):
        with pytest.raises(SecretRefused):
            await made.read(("secret", "app/db"))
    after = len(bao.ask("GET", "auth/token/accessors?list=true")["data"]["keys"])
    assert after - before <= 2


async def test_app_role(bao: OpenBao, source: Made, context: FakeContext, clock: FakeClock, tmp_path: Path) -> None:
    bao.ask("PUT", "sys/policies/acl/reader", {"policy": RULES})
    bao.ask("POST", "sys/auth/approle", {"type": "approle"})
    bao.ask("POST", "auth/approle/role/app", {"token_policies": "reader", "token_ttl": "600"})
    role = bao.ask("GET", "auth/approle/role/app/role-id")["data"]["role_id"]
    file = tmp_path / "secret-id"
    file.write_text(bao.ask("POST", "auth/approle/role/app/secret-id")["data"]["secret_id"])
    given = {"kind": "vault", "url": bao.url, "auth": "approle", "role_id": role, "secret_id_file": str(file)}
    made = source(**given)
    assert await made.read(("secret", "flat")) == {"key": "flat-value"}
    assert file.read_text() in context.secrets.redacted
    await clock.advance(3600)  # the lease is over
    file.write_text("another-secret-id")
    with pytest.raises(SecretRefused, match="secret_id"):
        await made.read(("secret", "flat"))


async def test_the_server_goes_away(
    bao: OpenBao, vault: dict[str, object], sources: Callable[..., SecretSources], clock: FakeClock
) -> None:
    made = sources({"timeout": 2}, vault={**vault, "ttl": 60, "stale": 600})
    value = {"it": "={{ $secrets.vault.secret.flat.key }}"}
    assert await made.filled(value, "jackfield") == {"it": "flat-value"}
    bao.stop()
    await clock.advance(120)
    assert await made.filled(value, "jackfield") == {"it": "flat-value"}
    assert "does not answer" in (made.named("vault").cache.failure or "")  # type: ignore[union-attr]
    await clock.advance(600)
    with pytest.raises(SourceUnavailable, match="does not answer"):
        await made.filled(value, "jackfield")
