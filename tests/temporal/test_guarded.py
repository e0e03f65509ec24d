"""A real server with TLS that asks for the caller's certificate and for an API key."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from jackfield.testing.certificates import issued
from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, set_fields, webhook
from jackfield.testing.temporal import NAMESPACE, Guard, NoTemporalServer, TemporalServer, temporal_server
from jackfield_engine_temporal.settings import TemporalSettings

from .conftest import StartDaemon

PERMISSIONS = ["temporal-system:admin", *(f"{NAMESPACE}:{role}" for role in ("read", "write", "worker", "admin"))]


class _Keys(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    directory = tmp_path_factory.mktemp("guarded")
    ca, cert, key = issued(directory, "temporal.test")
    signer = ec.generate_private_key(ec.SECP256R1())
    public = {**json.loads(ECAlgorithm.to_jwk(signer.public_key())), "kid": "one", "use": "sig", "alg": "ES256"}
    published = tmp_path_factory.mktemp("published")
    (published / "keys.json").write_text(json.dumps({"keys": [public]}))
    claims = {"sub": "jackfield", "permissions": PERMISSIONS, "exp": 4_000_000_000}
    api_key = jwt.encode(claims, signer, algorithm="ES256", headers={"kid": "one"})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Keys, directory=str(published))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Guard(ca, cert, key, "temporal.test", f"http://127.0.0.1:{server.server_port}/keys.json", api_key)
        server.shutdown()
        thread.join(5)


@pytest.fixture(scope="module")
def guarded(guard: Guard) -> Iterator[TemporalServer]:
    try:
        with temporal_server(guard) as server:
            yield server
    except NoTemporalServer as exc:
        pytest.skip(str(exc))


def settings(server: TemporalServer, guard: Guard, *names: str) -> TemporalSettings:
    every = {
        "ca_file": str(guard.ca),
        "cert_file": str(guard.cert),
        "key_file": str(guard.key),
        "api_key": guard.api_key,
        "server_name": guard.name,
    }
    chosen = {name: every[name] for name in names}
    return TemporalSettings(address=server.address, namespace=NAMESPACE, tls=True, timeout=5, **chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("cert_file", "key_file", "api_key", "server_name"), r"does not answer.*engine\.temporal\.tls"),
        (("ca_file", "cert_file", "key_file", "api_key"), r"does not answer.*engine\.temporal\.tls"),
        (("ca_file", "api_key", "server_name"), r"does not answer.*engine\.temporal\.tls"),
        (("ca_file", "cert_file", "key_file", "server_name"), r"does not let this daemon.*engine\.temporal\.api_key"),
    ],
    ids=["unknown authority", "another name", "no certificate", "no key"],
)
async def test_who_lacks_something_is_refused_and_told(
    guarded: TemporalServer, guard: Guard, names: tuple[str, ...], said: str
) -> None:
    from jackfield_engine_temporal.connection import NoTemporal, connect

    with pytest.raises(NoTemporal, match=said) as refused:
        await connect(settings(guarded, guard, *names))
    assert guard.api_key not in str(refused.value)


def test_a_daemon_with_all_of_it_runs_executions(
    guarded: TemporalServer, guard: Guard, new_daemon: StartDaemon
) -> None:
    more = (
        f'ca_file = "{guard.ca}"\ncert_file = "{guard.cert}"\nkey_file = "{guard.key}"\n'
        f'server_name = "{guard.name}"\napi_key = "{guard.api_key}"\n'
    )
    daemon = new_daemon(more, guarded)
    api = daemon.admin()
    daemon.live(chain("Guarded", webhook("guarded"), set_fields("Set", done=True)), api)
    assert daemon.client().post("/webhook/guarded", json={}).status_code == 200
    found = poll(
        lambda: [row for row in api.get("/executions").json()["data"] if row["status"] == "success"],
        "the execution has ended",
        timeout=30,
    )
    assert len(found) == 1
    assert guard.api_key not in (daemon.directory / "output.log").read_text()
