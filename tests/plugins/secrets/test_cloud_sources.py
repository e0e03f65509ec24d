"""AWS beside moto's server; Google's and 1Password's documented answers from a server on loopback."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from loopback import Loopback, Seen, loopback, reply

from jackfield.api.secret_sources import SecretMissing, SecretRefused, SecretSource, SourceUnavailable
from jackfield.testing.clock import FakeClock
from jackfield.testing.s3 import ACCESS_KEY, REGION, SECRET_KEY, VARIABLE, S3Server
from jackfield_secrets.service import SecretSources

Made = Callable[..., SecretSource]


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture(scope="module")
def aws(jackfield_s3: S3Server) -> dict[str, object]:
    import os

    if VARIABLE in os.environ:
        pytest.skip("MinIO has no Secrets Manager")
    import boto3

    client = boto3.client(
        "secretsmanager", endpoint_url=jackfield_s3.endpoint, region_name=REGION,
        aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY,
    )  # fmt: skip
    client.create_secret(Name="prod/db", SecretString='{"user": "ada", "password": "of-aws-itself"}')
    client.create_secret(Name="prod/key", SecretString="plain-key")
    client.create_secret(Name="prod/bytes", SecretBinary=b"in-bytes")
    client.create_secret(Name="dev/key", SecretString="other")
    return {"kind": "aws", "endpoint": jackfield_s3.endpoint, "region": REGION, "access_key_id": ACCESS_KEY}


async def test_aws(
    aws: dict[str, object], sources: Callable[..., SecretSources], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    made = sources(aws={**aws, "prefix": "prod/"})
    values = {
        "field": "={{ $secrets.aws.db.password }}",
        "text": "={{ $secrets.aws.key }}",
        "bytes": "={{ $secrets.aws.bytes }}",
    }
    found = await made.filled(values, "jackfield")
    assert found == {"field": "of-aws-itself", "text": "plain-key", "bytes": "in-bytes"}
    assert await made.names(made.named("aws")) == [("bytes",), ("db",), ("key",)]
    assert "takes the key" in await made.test(made.named("aws"))
    with pytest.raises(SecretMissing):
        await made.filled({"it": "={{ $secrets.aws.nothing }}"}, "jackfield")


async def test_aws_refuses(server: Loopback, source: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-wrong-key")
    made = source(kind="aws", endpoint=server.url(""), access_key_id="AKIA")
    server.answer = lambda _: reply({"__type": "AccessDeniedException", "Message": "no"}, "400 Bad Request")
    with pytest.raises(SecretRefused, match="its role"):
        await made.read(("x",))
    sent = server.seen[0].headers
    assert sent["x-amz-target"] == "secretsmanager.GetSecretValue"
    assert "a-wrong-key" not in str(server.seen[0])
    server.answer = lambda _: reply("oops", "503 Service Unavailable")
    with pytest.raises(SourceUnavailable, match="503"):
        await made.read(("x",))


@pytest.fixture
def account(tmp_path: Path, server: Loopback) -> tuple[Path, Any]:
    """The JSON file of a service account, and its public key."""
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    file = tmp_path / "account.json"
    told = {"client_email": "it@p.iam", "private_key": pem, "private_key_id": "k1", "token_uri": server.url("/token")}
    file.write_text(json.dumps(told))
    return file, key.public_key()


async def test_google(server: Loopback, account: tuple[Path, Any], source: Made, clock: FakeClock) -> None:
    file, public = account
    made = source(kind="gcp", project="my-project", credentials_file=str(file), endpoint=server.url(""))

    def answer(seen: Seen) -> bytes:
        if seen.target == "/token":
            assertion = seen.body.decode().rpartition("assertion=")[2]
            options = {"verify_exp": False, "verify_iat": False}
            claims = jwt.decode(assertion, public, ["RS256"], audience=server.url("/token"), options=options)  # type: ignore[arg-type]
            assert claims["iss"] == "it@p.iam"
            return reply({"access_token": "ya29.of-google", "expires_in": 3600, "token_type": "Bearer"})
        assert seen.headers["authorization"] == "Bearer ya29.of-google"
        if seen.target.startswith("/v1/projects/my-project/secrets?"):
            rows = [{"name": "projects/1/secrets/db"}, {"name": "projects/1/secrets/key"}]
            return reply({"secrets": rows, "totalSize": 2})
        if seen.target == "/v1/projects/my-project/secrets/db/versions/latest:access":
            data = base64.b64encode(b'{"password": "of-google"}').decode()
            return reply({"name": "projects/1/secrets/db/versions/3", "payload": {"data": data}})
        return reply({"error": {"code": 404, "status": "NOT_FOUND"}}, "404 Not Found")

    server.answer = answer
    assert await made.read(("db",)) == '{"password": "of-google"}'
    assert await made.names(10) == [("db",), ("key",)]
    assert await made.names(1) == [("db",)]
    with pytest.raises(SecretMissing):
        await made.read(("nothing",))
    assert sum(seen.target == "/token" for seen in server.seen) == 1
    await clock.advance(3600)
    await made.test()
    assert sum(seen.target == "/token" for seen in server.seen) == 2


async def test_google_s_machines_give_tokens_themselves(server: Loopback, source: Made) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.target.startswith("/computeMetadata/"):
            assert seen.headers["metadata-flavor"] == "Google"
            return reply({"access_token": "ya29.of-the-machine", "expires_in": 100})
        return reply({"error": {"code": 403}}, "403 Forbidden")

    server.answer = answer
    made = source(kind="gcp", project="p", endpoint=server.url(""), metadata_url=server.url(""))
    with pytest.raises(SecretRefused, match="Accessor"):
        await made.test()
    assert server.seen[-1].headers["authorization"] == "Bearer ya29.of-the-machine"


ITEM = {
    "id": "i1",
    "title": 'Data "base"',
    "sections": [{"id": "s1", "label": "replica"}],
    "fields": [
        {"id": "username", "label": "username", "value": "ada"},
        {"id": "password", "label": "password", "value": "of-1password"},
        {"id": "f7", "label": "password", "value": "of-the-replica", "section": {"id": "s1"}},
        {"id": "notesPlain", "label": "notesPlain"},
    ],
}


async def test_one_password(server: Loopback, sources: Callable[..., SecretSources], tmp_path: Path) -> None:
    def answer(seen: Seen) -> bytes:
        assert seen.headers["authorization"] == "Bearer token-of-connect"
        path, _, query = unquote(seen.target.replace("+", " ")).partition("?")
        if path == "/v1/vaults":
            found = not query or query == 'filter=name eq "Team"'
            return reply([{"id": "v1", "name": "Team"}] if found else [])
        if path == "/v1/vaults/v1/items":
            assert query in ("", 'filter=title eq "Data \\"base\\""')
            return reply([{"id": "i1", "title": 'Data "base"'}])
        return reply(ITEM) if path == "/v1/vaults/v1/items/i1" else reply({"status": 404}, "404 Not Found")

    server.answer = answer
    (tmp_path / "token").write_text("token-of-connect\n")
    made = sources(op={"kind": "onepassword", "url": server.url(""), "token_file": str(tmp_path / "token")})
    values = {
        "field": """={{ $secrets.op.Team['Data "base"'].password }}""",
        "section": """={{ $secrets.op.Team['Data "base"'].replica.password }}""",
    }
    assert await made.filled(values, "jackfield") == {"field": "of-1password", "section": "of-the-replica"}
    assert await made.names(made.named("op")) == [("Team", 'Data "base"')]
    assert "1 vaults" in await made.test(made.named("op"))
    with pytest.raises(SecretMissing, match="no vault Other"):
        await made.filled({"it": "={{ $secrets.op.Other.x.y }}"}, "jackfield")
    with pytest.raises(SecretMissing, match="vault, item and field"):
        await made.filled({"it": "={{ $secrets.op.Team.x }}"}, "jackfield")


async def test_an_answer_that_is_too_long(
    server: Loopback, sources: Callable[..., SecretSources], tmp_path: Path
) -> None:
    server.answer = lambda _: reply(b"x" * 5000)
    (tmp_path / "token").write_text("token-of-connect")
    table = {"kind": "onepassword", "url": server.url(""), "token_file": str(tmp_path / "token")}
    made = sources({"answer_bytes": 4096}, op=table)
    with pytest.raises(SourceUnavailable, match="4096 bytes"):
        await made.test(made.named("op"))


async def test_silence_has_an_end(server: Loopback, sources: Callable[..., SecretSources], tmp_path: Path) -> None:
    server.answer = lambda _: None
    (tmp_path / "token").write_text("token-of-connect")
    made = sources(
        {"timeout": 0.2}, op={"kind": "onepassword", "url": server.url(""), "token_file": str(tmp_path / "token")}
    )
    with pytest.raises(SourceUnavailable):
        await made.test(made.named("op"))
