"""Servers that both sides use: real ones where they are installed, and doubles made of published references."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.certificates import self_signed
from jackfield.testing.s3 import ACCESS_KEY, REGION, SECRET_KEY, NoS3, s3_server

from .credentials import Given
from .service_cases import MARKS

PLUGINS = Path(__file__).resolve().parents[1] / "plugins"
sys.path[:0] = [str(PLUGINS / part) for part in ("integrations", "nodes")]

import elastic_double  # noqa: E402 - beside the tests of the plugins
import servers  # noqa: E402
from loopback import loopback  # noqa: E402
from server_fixtures import installed  # noqa: E402

_AWS = ("dynamoDb", "s3", "ses", "sns")
_TABLE = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@contextlib.contextmanager
def moto(directory: Path) -> Iterator[Mapping[str, Given]]:
    """What n8n asks of Amazon's own addresses comes here too (`credentials.js`). SQS of moto does not take n8n's
    requests."""
    boto3 = pytest.importorskip("boto3")
    try:
        with s3_server() as server:
            own = {"endpoint_url": server.endpoint, "region_name": REGION}
            keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY}
            boto3.client("ses", **own, **keys).verify_email_identity(EmailAddress="a@example.com")
            tables = boto3.client("dynamodb", **own, **keys)
            for side in MARKS.values():
                tables.create_table(TableName=f"{side}table", **_TABLE)
            key = {"accessKeyId": ACCESS_KEY, "secretAccessKey": SECRET_KEY, "region": REGION}
            own = {f"{name}Endpoint": server.endpoint for name in _AWS}
            yield {
                "aws": Given("aws", {**key, "customEndpoints": "true", **own}),
                "s3": Given("s3", {**key, "endpoint": server.endpoint, "forcePathStyle": "true"}),
            }
    except NoS3 as exc:
        pytest.skip(str(exc))


@contextlib.contextmanager
def mongo(directory: Path) -> Iterator[Mapping[str, Given]]:
    with installed("MongoDB", servers.mongo_server()) as values:
        text = f"mongodb://{values['host']}:{values['port']}/"
        more = {"configurationType": "connectionString", "connectionString": text, "database": "compared"}
        yield {"mongoDb": Given("mongoDb", more)}


@contextlib.contextmanager
def ldap(directory: Path) -> Iterator[Mapping[str, Given]]:
    with installed("OpenLDAP", servers.ldap_server(*self_signed(directory, "localhost"))) as values:
        ldap3 = pytest.importorskip("ldap3")
        server = ldap3.Server(values["hostname"], int(values["port"]))
        with ldap3.Connection(server, values["bindDN"], values["bindPassword"], auto_bind=True) as connection:
            classes = ["dcObject", "organization"]
            connection.add("dc=example,dc=com", classes, {"dc": "example", "o": "Example"})
        kept = {name: value for name, value in values.items() if name != "tlsPort"}
        yield {"ldap": Given("ldap", {**kept, "connectionSecurity": "none"})}


@contextlib.contextmanager
def elastic(directory: Path) -> Iterator[Mapping[str, Given]]:
    """The double, on a loop of its own."""
    loop, ready, port = asyncio.new_event_loop(), threading.Event(), [0]
    ended = asyncio.Event()

    async def serve() -> None:
        async with loopback() as server:
            server.answer = elastic_double.Elastic().answer
            port[0] = server.port
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        values = {"username": "u", "password": "p", "baseUrl": f"http://127.0.0.1:{port[0]}"}
        yield {"elasticsearchApi": Given("elasticsearchApi", values)}
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()


_NAMES = ((b"ns0:", b"d:"), (b":ns0=", b":d="), (b"ns1:", b"oc:"), (b":ns1=", b":oc="))
_NUMBERED = ((b"<oc:fileid />", b"<oc:fileid>7</oc:fileid>"), (b"404 Not Found", b"200 OK"))
_ALIKE = (*_NAMES, *_NUMBERED)


class LikeNextcloud:
    """A WSGI application whose answers are as Nextcloud's: DAV's namespace is called `d`, which n8n's node goes by, and
    what writes answers without a body. Each file has the number 7."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        head: list[Any] = []

        def begun(*given: Any) -> None:
            head[:] = given

        body = b"".join(self._app(environ, begun))
        if environ["REQUEST_METHOD"] == "PROPFIND":
            for given, meant in (
                (b"ns0:", b"d:"),
                (b":ns0=", b":d="),
                (b"ns1:", b"oc:"),
                (b":ns1=", b":oc="),
                *_NUMBERED,
            ):
                body = body.replace(given, meant)
        elif environ["REQUEST_METHOD"] != "GET" and head[0].startswith("2"):
            body = b""
        kept = [pair for pair in head[1] if pair[0].lower() != "content-length"]
        start_response(head[0], [*kept, ("Content-Length", str(len(body)))], *head[2:])
        return [body]


@contextlib.contextmanager
def dav(directory: Path) -> Iterator[Mapping[str, Given]]:
    app, wsgi = pytest.importorskip("wsgidav.wsgidav_app"), pytest.importorskip("cheroot.wsgi")
    (directory / "files").mkdir()
    config = {
        "provider_mapping": {"/remote.php/webdav": str(directory / "files")},
        "simple_dc": {"user_mapping": {"*": {"ada": {"password": "p-w"}}}},
        "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        "logging": {"enable": False},
    }
    server = wsgi.Server(("127.0.0.1", 0), LikeNextcloud(app.WsgiDAVApp(config)), shutdown_timeout=1)
    server.prepare()
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.bind_addr[1]}/remote.php/webdav"
        yield {"nextCloudApi": Given("nextCloudApi", {"webDavUrl": address, "user": "ada", "password": "p-w"})}
    finally:
        server.stop()
        thread.join(10)


SERVERS: Mapping[str, Callable[[Path], contextlib.AbstractContextManager[Mapping[str, Given]]]] = {
    "moto": moto,
    "mongo": mongo,
    "ldap": ldap,
    "elastic": elastic,
    "dav": dav,
}
