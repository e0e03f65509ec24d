"""Servers that both sides use: real ones where they are installed, and doubles made of published references."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from jackfield.testing.certificates import self_signed
from jackfield.testing.s3 import ACCESS_KEY, REGION, SECRET_KEY, NoS3, s3_server

from .credentials import Given

PLUGINS = Path(__file__).resolve().parents[1] / "plugins"
sys.path[:0] = [str(PLUGINS / part) for part in ("integrations", "nodes")]

import elastic_double  # noqa: E402 - beside the tests of the plugins
import servers  # noqa: E402
from loopback import loopback  # noqa: E402

_AWS = ("s3", "sns")


@contextlib.contextmanager
def moto(directory: Path) -> Iterator[Mapping[str, Given]]:
    """S3 and SNS: SQS of moto does not take n8n's requests, and n8n asks Amazon's own for the rest."""
    try:
        with s3_server() as server:
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
    try:
        with servers.mongo_server() as values:
            text = f"mongodb://{values['host']}:{values['port']}/"
            more = {"configurationType": "connectionString", "connectionString": text, "database": "compared"}
            yield {"mongoDb": Given("mongoDb", more)}
    except servers.Absent as exc:
        pytest.skip(f"MongoDB: {exc}")


@contextlib.contextmanager
def ldap(directory: Path) -> Iterator[Mapping[str, Given]]:
    try:
        with servers.ldap_server(*self_signed(directory, "localhost")) as values:
            ldap3 = pytest.importorskip("ldap3")
            server = ldap3.Server(values["hostname"], int(values["port"]))
            with ldap3.Connection(server, values["bindDN"], values["bindPassword"], auto_bind=True) as connection:
                classes = ["dcObject", "organization"]
                connection.add("dc=example,dc=com", classes, {"dc": "example", "o": "Example"})
            kept = {name: value for name, value in values.items() if name != "tlsPort"}
            yield {"ldap": Given("ldap", {**kept, "connectionSecurity": "none"})}
    except servers.Absent as exc:
        pytest.skip(f"OpenLDAP: {exc}")


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
    server = wsgi.Server(("127.0.0.1", 0), app.WsgiDAVApp(config), shutdown_timeout=1)
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
