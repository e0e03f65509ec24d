"""A connection to MongoDB.

The driver looks names up by itself and goes on to the members of a replica set that the server names. So a server is
reached in one of two ways. With TLS it is reached by its name: only the holder of that name's certificate gets through
the handshake, whatever the name leads to. Without TLS it is reached at one address that was checked, as the only
server.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

from bson import CodecOptions
from bson.errors import BSONError
from pymongo import AsyncMongoClient
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.uri_parser import parse_uri
from pymongo.errors import OperationFailure, PyMongoError

from jackfield.api.databases import DatabaseRefusal
from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

Result = TypeVar("Result")
Client: TypeAlias = "AsyncMongoClient[dict[str, Any]]"
"""Documents hold whatever BSON has, hence Any."""
_MECHANISMS = frozenset({"DEFAULT", "SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN", "MONGODB-X509"})
"""Those that take nothing but the credential: others ask the machine or its cloud for keys."""
_FILES = ("tlscafile", "tlscertificatekeyfile", "tlscrlfile")
_INSECURE = ("tlsinsecure", "tlsallowinvalidcertificates", "tlsallowinvalidhostnames")


_USUAL = "test"
"""MongoDB's own name for the database that nobody names."""


class MongoSession:
    """`MongoConnection`."""

    def __init__(self, client: Client, database: str, values: DriverCredential, home: str = "") -> None:
        """home: the database that the connection string names."""
        self._client = client
        self._values = values
        self._home = database or home or _USUAL
        self.database = database

    def collection(self, name: str, codec: CodecOptions[dict[str, Any]]) -> AsyncCollection[dict[str, Any]]:
        """Of the credential's database."""
        return self._client[self._home].get_collection(name, codec_options=codec)

    async def guarded(self, work: Awaitable[Result]) -> Result:
        """Raises `NodeError`, without secrets."""
        try:
            return await work
        except (PyMongoError, BSONError, OSError, OverflowError, LookupError, TypeError, ValueError) as exc:
            raise NodeError(f"MongoDB: {self.told(exc)}.") from None

    def told(self, error: BaseException | str) -> str:
        """A message of the driver without secrets."""
        return self._values.shown(error)

    async def answers(self) -> None:
        """Raises `NodeError` when the server does not, any more."""
        await self.command("admin", {"ping": 1})

    async def command(self, database: str, command: Mapping[str, object]) -> Mapping[str, object]:
        try:
            return dict(await self._client[database].command(dict(command)))
        except OperationFailure as exc:
            reason = (exc.details or {}).get("errmsg") or str(exc)
            raise DatabaseRefusal(f"MongoDB: {self._values.shown(reason)}.", str(exc.code or "")) from None
        except (PyMongoError, OSError, ValueError) as exc:
            raise NodeError(f"MongoDB: {self._values.shown(exc)}.") from None


def _address(values: DriverCredential) -> str:
    """The connection string. Raises `NodeError`."""
    if values.text("configurationType") == "connectionString":
        return values.needed("connectionString")
    user, password = (quote(values.text(name), safe="") for name in ("user", "password"))
    who = f"{user}:{password}@" if user and password else ""
    return f"mongodb://{who}{values.needed('host')}:{values.port(27017)}/"


async def _places(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> tuple[str | list[str], dict[str, Any], str]:
    """Where the driver connects to, its options, and the database that is named there. Raises `NodeError`."""
    text = _address(values)
    try:
        found = await parse_uri(text, validate=True, warn=False, connect_timeout=settings.connect_timeout)
    except (PyMongoError, ValueError) as exc:
        raise NodeError(f"The connection string of the credential cannot be used: {values.shown(exc)}.") from None
    options = {str(name).lower(): value for name, value in dict(found["options"]).items()}
    if named := next((name for name in _FILES if name in options), None):
        raise NodeError(
            f"The connection string may not name files ({named}); put the certificates into the credential."
        )
    if (mechanism := str(options.get("authmechanism", "DEFAULT")).upper()) not in _MECHANISMS:
        raise NodeError(f"The way to sign in {mechanism} is not available; use one with user and password.")
    tls = bool(options.get("tls")) or values.flag("tls")
    insecure = any(options.get(name) for name in _INSECURE)
    addresses = [await targets.checked(values, host, int(port or 27017)) for host, port in found["nodelist"]]
    if tls and not insecure:
        return text, {"tls": True}, str(found["database"] or "")
    if len(addresses) != 1:
        raise NodeError("Without TLS the connection string may name one server only; use TLS, or name the primary.")
    port = int(found["nodelist"][0][1] or 27017)
    given = {name: found[name] for name in ("username", "password") if found[name]}
    kept = {name: options[name] for name in ("authsource", "authmechanism", *_INSECURE) if name in options}
    host = addresses[0][0]
    made = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return [made], {**given, **kept, "tls": tls, "directConnection": True}, str(found["database"] or "")


@contextlib.contextmanager
def _certificates(values: DriverCredential) -> Iterator[dict[str, Any]]:
    """The driver's options for the credential's certificates. It reads files, which are in memory here."""
    made: dict[str, Any] = {}
    parts = {"tlsCAFile": values.text("ca"), "tlsCertificateKeyFile": ""}
    if values.text("cert"):
        parts["tlsCertificateKeyFile"] = f"{values.text('key')}\n{values.text('cert')}\n"
    with contextlib.ExitStack() as stack:
        for name, text in parts.items():
            if text:
                descriptor = os.memfd_create(name)
                stack.callback(os.close, descriptor)
                os.write(descriptor, text.encode())
                made[name] = f"/proc/self/fd/{descriptor}"
        if made.get("tlsCertificateKeyFile") and values.text("passphrase"):
            made["tlsCertificateKeyFilePassword"] = values.text("passphrase")
        yield made


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[MongoSession]:
    """A connection that is signed in. Raises `NodeError`."""
    places, options, home = await _places(targets, values, settings)
    wait = round(settings.connect_timeout * 1000)
    try:
        with _certificates(values) as certificates:
            client: Client = AsyncMongoClient(
                places,
                **options,
                **(certificates if options.get("tls") else {}),
                appname="jackfield",
                maxPoolSize=1,
                serverSelectionTimeoutMS=wait,
                connectTimeoutMS=wait,
                socketTimeoutMS=round(settings.timeout * 1000),
            )
    except (PyMongoError, OSError, ValueError, TypeError) as exc:
        raise NodeError(f"The credential cannot be used with MongoDB: {values.shown(exc)}.") from None
    try:
        session = MongoSession(client, values.text("database").strip(), values, home)
        await session.command("admin", {"ping": 1})
        yield session
    finally:
        await client.close()
