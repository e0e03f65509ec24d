"""Keycloak's own process, and what its administrator does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from jackfield.testing.daemon import free_port, poll

REALM = "main"
ADMINISTRATOR = "admin"
PASSWORD = "a password of the administrator"
PERSON_PASSWORD = "a password of ada"
START = 900.0
"""Seconds for the first start, which builds; on a machine that does nothing else it takes a tenth of that."""


def distribution() -> Path | None:
    """The directory that has `bin/kc.sh`."""
    named = os.environ.get("JACKFIELD_TEST_KEYCLOAK", "")
    place = Path(named)
    found = [place / "bin" / "kc.sh", *place.glob("keycloak-*/bin/kc.sh")] if named else []
    return next((script.parent.parent for script in found if script.is_file()), None)


class Keycloak:
    """url: of the server. Each call of the administrator logs in anew: its token lives for a minute."""

    def __init__(self, url: str, tools: Path) -> None:
        self.url = url
        self.issuer = f"{url}/realms/{REALM}"
        self.tools = tools

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        form = {"client_id": "admin-cli", "grant_type": "password", "username": ADMINISTRATOR, "password": PASSWORD}
        with httpx.Client(base_url=self.url, timeout=60) as client:
            token = client.post("/realms/master/protocol/openid-connect/token", data=form).raise_for_status().json()
            bearer = {"Authorization": f"Bearer {token['access_token']}"}
            reply = client.request(method, f"/admin/realms{path}", json=body, headers=bearer).raise_for_status()
            return reply.json() if reply.content else None

    def make_realm(self) -> None:
        """Two people, two roles, two groups. Ada has a role and is in a group; Eve has neither."""
        ada = person("ada") | {"realmRoles": ["engineering"], "groups": ["/team-a"]}
        realm = {
            "realm": REALM,
            "enabled": True,
            "roles": {"realm": [{"name": "engineering"}, {"name": "jackfield-admins"}]},
            "groups": [{"name": "team-a"}],
            "users": [ada, person("eve")],
        }
        self.ask("POST", "", realm)

    @property
    def client(self) -> dict[str, Any]:
        found: list[dict[str, Any]] = self.ask("GET", f"/{REALM}/clients?clientId=jackfield")
        return found[0]

    def extend_client(self, callbacks: Sequence[str]) -> None:
        """Further callbacks, and a role of the client's own, which Ada has."""
        client = self.client
        self.ask("PUT", f"/{REALM}/clients/{client['id']}", client | {"redirectUris": list(callbacks)})
        self.ask("POST", f"/{REALM}/clients/{client['id']}/roles", {"name": "operator"})
        role = self.ask("GET", f"/{REALM}/clients/{client['id']}/roles/operator")
        self.ask("POST", f"/{REALM}/users/{self.user('ada')}/role-mappings/clients/{client['id']}", [role])

    def user(self, name: str) -> str:
        found: list[dict[str, str]] = self.ask("GET", f"/{REALM}/users?exact=true&username={name}")
        return found[0]["id"]

    def change(self, name: str, **fields: Any) -> None:
        path = f"/{REALM}/users/{self.user(name)}"
        self.ask("PUT", path, self.ask("GET", path) | fields)

    def roles(self, name: str, *roles: str) -> None:
        """The person has these of the realm's two roles."""
        path = f"/{REALM}/users/{self.user(name)}/role-mappings/realm"
        both = [self.ask("GET", f"/{REALM}/roles/{role}") for role in ("engineering", "jackfield-admins")]
        self.ask("DELETE", path, both)
        self.ask("POST", path, [role for role in both if role["name"] in roles])

    def end_sessions(self, name: str) -> None:
        self.ask("POST", f"/{REALM}/users/{self.user(name)}/logout")

    def rotate_keys(self, priority: int) -> None:
        """A new key signs from now on."""
        realm = self.ask("GET", f"/{REALM}")
        component = {
            "name": f"rsa-{priority}",
            "providerId": "rsa-generated",
            "providerType": "org.keycloak.keys.KeyProvider",
            "parentId": realm["id"],
            "config": {"priority": [str(priority)], "enabled": ["true"], "active": ["true"], "algorithm": ["RS256"]},
        }
        self.ask("POST", f"/{REALM}/components", component)


def person(name: str) -> dict[str, Any]:
    return {
        "username": name,
        "enabled": True,
        "firstName": name.title(),
        "lastName": "Example",
        "email": f"{name}@example.com",
        "emailVerified": True,
        "credentials": [{"type": "password", "value": PERSON_PASSWORD, "temporary": False}],
    }


@contextlib.contextmanager
def keycloak_server(directory: Path) -> Iterator[Keycloak]:
    """A server in development mode, whose database is in memory. Another site than the daemon's 127.0.0.1."""
    place = distribution()
    assert place is not None
    for script in (place / "bin").glob("*.sh"):  # some programs that unpack archives drop the bit
        script.chmod(0o755)
    port = free_port()
    url = f"http://localhost:{port}"
    listen = ["--http-host", "127.0.0.1", "--http-port", str(port), "--hostname", url]
    env = os.environ | {
        "KC_BOOTSTRAP_ADMIN_USERNAME": ADMINISTRATOR,
        "KC_BOOTSTRAP_ADMIN_PASSWORD": PASSWORD,
        "KC_DB": "dev-mem",
        "KC_HEALTH_ENABLED": "false",
    }
    with (directory / "log").open("wb") as log:
        command = ["sh", str(place / "bin" / "kc.sh"), "start-dev", *listen]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=env, start_new_session=True)
    try:
        poll(lambda: _answers(url, process), "Keycloak is ready", timeout=START)
        yield Keycloak(url, place / "bin")
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "Keycloak ended"
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{url}/realms/master", timeout=10).status_code == httpx.codes.OK
    return False
