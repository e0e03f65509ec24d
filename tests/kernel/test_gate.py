"""The checks of the gate, step by step, over the whole application."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import orjson
import pytest

from jackfield.core.areas import PublicAreas
from jackfield.core.kernel import Kernel
from jackfield.core.tables import AreaSettings, DaemonSettings, ServerSettings
from jackfield.http import peer
from jackfield.http.app import create_app
from jackfield.http.own_sockets import WORKER_MODULE
from jackfield.http.peer import PeerLookup, normalised, owner_by_netlink, owner_by_proc

from .conftest import Client, MakeKernel

TOKEN = ("Authorization", "Bearer ada")


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LocalHost:8765"])
async def test_own_hosts_pass(client: Client, host: str) -> None:
    assert (await client("GET", "/health", host=host)).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8765", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:8765", "127.0.0.1:8765/", "", None],
)
@pytest.mark.parametrize("path", ["/health", "/webhook/x", "/api/v1/things", "/api/daemon/who", "/"])
async def test_other_hosts_are_refused_everywhere(client: Client, path: str, host: str | None) -> None:
    answer = await client("GET", path, TOKEN, host=host)
    assert answer.status == 403
    assert answer.json["code"] == "ACCESS_DENIED"


async def test_a_repeated_host_is_refused(client: Client) -> None:
    assert (await client("GET", "/health", ("Host", "127.0.0.1:8765"))).status == 400


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://127.0.0.1:8765", "http://127.0.0.1", ""])
async def test_a_foreign_origin_is_refused_even_with_a_credential(client: Client, origin: str) -> None:
    for path in ("/api/v1/things", "/api/daemon/who", "/metrics", "/health"):
        assert (await client("GET", path, TOKEN, ("Origin", origin))).status == 403


@pytest.mark.parametrize("host", ["localhost:8765", "LOCALHOST:8765", "127.0.0.1:8765", "[::1]:8765"])
async def test_own_origin_passes(client: Client, host: str) -> None:
    origin = ("Origin", f"http://{host.lower()}")
    assert (await client("GET", "/api/v1/things", TOKEN, origin, host=host)).status == 200


@pytest.mark.parametrize("origin", ["http://localhost:8765", "http://[::1]:8765"])
async def test_a_page_at_another_name_of_the_machine_may_be_somebody_elses(client: Client, origin: str) -> None:
    """We listen at 127.0.0.1 alone: at `[::1]`, which `localhost` also is, another user may serve our port."""
    for path in ("/api/v1/things", "/api/daemon/who"):
        assert (await client("GET", path, TOKEN, ("Origin", origin))).status == 403


@pytest.mark.parametrize(
    ("method", "site", "status"),
    [
        ("GET", "same-origin", 200),
        ("GET", "none", 200),
        ("POST", "none", 403),
        ("GET", "cross-site", 403),
        ("GET", "same-site", 403),
    ],
)
async def test_sec_fetch_site(client: Client, method: str, site: str, status: int) -> None:
    headers = (TOKEN, ("Sec-Fetch-Site", site), ("Content-Type", "application/json"))
    answer = await client(method, "/api/v1/things", *headers, body=b"{}")
    assert answer.status == status


async def test_public_webhooks_skip_origin_and_credentials(client: Client) -> None:
    answer = await client("POST", "/webhook/x", ("Origin", "http://evil.test"), ("Authorization", "Bearer whoever"))
    assert answer.status == 200
    assert answer.json["client"] == "192.0.2.9"


async def test_the_service_needs_a_credential_even_for_unknown_paths(client: Client) -> None:
    for path in ("/api/v1/things", "/api/v1/nope"):
        answer = await client("GET", path)
        assert (answer.status, answer.json["code"]) == (401, "AUTH_REQUIRED")
        assert answer.header("www-authenticate")
    assert (await client("GET", "/api/v1/nope", TOKEN)).status == 404


async def test_an_invalid_credential_is_401_on_gated_paths(client: Client) -> None:
    answer = await client("GET", "/api/daemon/who", ("Authorization", "Bearer nobody"))
    assert (answer.status, answer.json) == (
        401,
        {"success": False, "error": answer.json["error"], "code": "TOKEN_INVALID"},
    )


@pytest.mark.parametrize(
    ("who", "path", "status"),
    [
        ("key", "/api/daemon/who", 403),
        ("key", "/api/none", 403),
        ("key", "/metrics", 200),
        ("looks", "/api/daemon/who", 200),
        ("looks", "/api/none", 404),
        ("changes", "/api/daemon/who", 403),
        ("vic", "/api/daemon/who", 200),
    ],
)
async def test_keys_with_scopes_see_what_a_scope_opens(client: Client, who: str, path: str, status: int) -> None:
    answer = await client("GET", path, ("Authorization", f"Bearer {who}"))
    assert answer.status == status
    if status == 403:
        assert "agents:read" in str(answer.json)


@pytest.mark.parametrize(("who", "status"), [("changes", 405), ("looks", 403), ("key", 403)])
async def test_keys_with_scopes_change_what_a_scope_opens(client: Client, who: str, status: int) -> None:
    answer = await client("POST", "/api/daemon/who", ("Authorization", f"Bearer {who}"))
    assert answer.status == status
    assert status == 405 or "agents:write" in str(answer.json)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_viewers_and_keys_with_scopes_start_and_change_nothing_of_agents(client: Client, method: str) -> None:
    statuses = {}
    for who in ("ada", "vic", "key"):
        answer = await client(method, "/api/daemon/who", ("Authorization", f"Bearer {who}"))
        statuses[who] = (answer.status, answer.json["code"])
    refused = (403, "ACCESS_DENIED")
    assert statuses == {"ada": (405, "METHOD_NOT_ALLOWED"), "vic": refused, "key": refused}
    assert (await client("GET", "/api/daemon/who", ("Authorization", "Bearer vic"))).status == 200


async def test_another_machine_is_401_on_gated_paths(client: Client) -> None:
    assert (await client("GET", "/api/daemon/who")).status == 401


async def test_the_daemon_token_is_the_owner(client: Client) -> None:
    token = (client.app.kernel.config_dir / "daemon-token").read_text()
    answer = await client("GET", "/api/daemon/who", ("Authorization", f"Bearer {token}"))
    assert answer.json == {"success": True, "data": "owner"}
    assert (client.app.kernel.config_dir / "daemon-token").stat().st_mode & 0o777 == 0o600
    assert (await client("GET", "/api/daemon/who", ("Authorization", f"Bearer {token}x"))).status == 401


@pytest.mark.parametrize(
    "name",
    [
        "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Host", "CF-Connecting-IP",
        "CF-Connecting-IPv6", "True-Client-IP", "X-Client-IP", "X-Cluster-Client-IP", "Fastly-Client-IP",
    ],
)  # fmt: skip
async def test_a_forwarding_header_takes_the_owner_away(
    client: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async def yes(self: PeerLookup, scope: object) -> bool:
        return True

    monkeypatch.setattr(PeerLookup, "same_user", yes)
    assert (await client("GET", "/api/daemon/who")).status == 200
    assert (await client("GET", "/api/daemon/who", (name, "127.0.0.1"))).status == 401
    assert (await client("GET", "/api/daemon/who", (name, "127.0.0.1"), TOKEN)).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "//api/v1/things",
        "///api/v1/things",
        "http://127.0.0.1:8765/api/v1/things",
        "http://evil.test/api/v1/things",
        "x:/api/v1/things",
        "%2Fapi/v1/things",
        "%2Fapi%2Fv1@192.0.2.1/things",
        "/%2Fapi/v1/things",
        "%2F..@192.0.2.1/",
        "%5C%5C192.0.2.1/",
        "\\\\192.0.2.1/",
        "api/v1/things",
        "*",
        "",
    ],
)
async def test_no_spelling_of_a_path_leads_around_the_gate(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    async def yes(self: PeerLookup, scope: object) -> bool:
        return True

    monkeypatch.setattr(PeerLookup, "same_user", yes)
    answer = await client("GET", path)
    assert (answer.status, answer.json["code"]) == (400, "VALIDATION_ERROR")


async def test_the_daemon_token_does_not_open_the_service(client: Client) -> None:
    token = (client.app.kernel.config_dir / "daemon-token").read_text()
    answer = await client("GET", "/api/v1/things", ("Authorization", f"Bearer {token}"))
    assert (answer.status, answer.json["code"]) == (401, "TOKEN_INVALID")


async def test_a_second_credential_beside_the_daemon_token_counts(client: Client) -> None:
    token = (client.app.kernel.config_dir / "daemon-token").read_text()
    for key in ("ada", "nobody"):
        answer = await client("GET", "/api/daemon/who", ("Authorization", f"Bearer {token}"), ("X-API-Key", key))
        assert answer.status == 401


async def test_a_credential_that_no_plugin_verifies_is_not_overlooked(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def yes(self: PeerLookup, scope: object) -> bool:
        return True

    monkeypatch.setattr(PeerLookup, "same_user", yes)
    client.app.kernel.authenticator.methods.clear()
    assert (await client("GET", "/api/daemon/who")).status == 200
    for name in ("Authorization", "X-API-Key"):
        assert (await client("GET", "/api/daemon/who", (name, "whatever"))).status == 401


async def _with(make_kernel: MakeKernel, config: dict[str, object]) -> tuple[Kernel, Client]:
    kernel = make_kernel(config)
    await kernel.start()
    return kernel, Client(create_app(kernel))


async def test_a_public_host_reaches_the_service_and_nothing_else(make_kernel: MakeKernel) -> None:
    kernel, client = await _with(make_kernel, {"server": {"public_hosts": ["hooks.example"]}})
    assert (await client("POST", "/webhook/x", host="hooks.example")).status == 200
    assert (await client("GET", "/api/v1/things", TOKEN, host="Hooks.Example")).status == 200
    assert (await client("GET", "/api/daemon/who", TOKEN, host="hooks.example")).status == 403
    assert (await client("GET", "/api/daemon/who", TOKEN)).status == 200
    await kernel.stop()


async def test_remote_agents_opens_the_rest_to_public_hosts(make_kernel: MakeKernel) -> None:
    config = {"server": {"public_hosts": ["hooks.example"]}, "daemon": {"remote_agents": True}}
    kernel, client = await _with(make_kernel, config)
    assert (await client("GET", "/api/daemon/who", TOKEN, host="hooks.example")).status == 200
    await kernel.stop()


async def test_areas_open_to_the_public_hosts_that_are_named_there(make_kernel: MakeKernel) -> None:
    areas = {"webhooks": ["hooks.example"], "ui": ["Desk.example"], "agents": ["agents.example:8443"]}
    kernel, client = await _with(make_kernel, {"server": {"public_hosts": ["hooks.example"], "areas": areas}})
    paths = {"webhooks": "/webhook/x", "api": "/api/v1/things", "ui": "/docs", "agents": "/api/daemon/who"}
    reached = {"hooks.example": {"webhooks", "api"}, "desk.example": {"api", "ui"}}
    reached["agents.example:8443"] = {"api", "agents"}
    for host, open_to in reached.items():
        assert (await client("GET", "/health", host=host)).status == 200
        for area, path in paths.items():
            answer = await client("POST" if area == "webhooks" else "GET", path, TOKEN, host=host)
            assert answer.status == (200 if area in open_to else 403), (host, path)
            if area not in open_to:
                assert f"server.areas.{area}" in str(answer.json)
                assert "public_hosts" not in str(answer.json)
    assert (await client("GET", "/docs", TOKEN, host="agents.example")).status == 403
    await kernel.stop()


async def test_by_a_public_host_the_named_credentials_alone_count(make_kernel: MakeKernel) -> None:
    areas = {"ui": ["*"], "ui_methods": ["session"], "api_methods": ["session", "token"]}
    kernel, client = await _with(make_kernel, {"server": {"public_hosts": ["desk.example"], "areas": areas}})
    refused = await client("GET", "/metrics", TOKEN, host="desk.example")
    assert (refused.status, "server.areas.ui_methods" in str(refused.json)) == (401, True)
    assert (await client("GET", "/metrics", TOKEN)).status == 200
    assert (await client("GET", "/api/v1/things", TOKEN, host="desk.example")).status == 200
    await kernel.stop()


async def test_by_a_public_host_nobody_is_the_owner(make_kernel: MakeKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reverse proxy that runs as the same user and tells nothing of its callers would make owners of them all."""
    monkeypatch.setattr(PeerLookup, "same_user", AsyncMock(return_value=True))
    settings = {"server": {"public_hosts": ["desk.example"]}, "daemon": {"remote_agents": True}}
    kernel, client = await _with(make_kernel, settings)
    assert (await client("GET", "/api/daemon/who")).status == 200
    assert (await client("GET", "/api/daemon/who", host="desk.example")).status == 401
    assert (await client("GET", "/api/daemon/who", TOKEN, host="desk.example")).status == 200
    await kernel.stop()


async def test_a_page_of_another_public_host_is_no_page_of_this_one(make_kernel: MakeKernel) -> None:
    settings = {"server": {"public_hosts": ["hooks.example", "desk.example"]}}
    kernel, client = await _with(make_kernel, settings)
    for origin, status in (("https://desk.example", 200), ("https://hooks.example", 403)):
        answer = await client("GET", "/api/v1/things", TOKEN, ("Origin", origin), host="desk.example")
        assert answer.status == status
    await kernel.stop()


@pytest.mark.parametrize("name", ["https://desk.example", "desk.example/ui", " desk.example", ""])
def test_an_area_names_hosts_and_no_addresses(name: str) -> None:
    with pytest.raises(ValueError, match="without https://"):
        AreaSettings(ui=[name])


def test_an_open_bind_is_told_what_it_lacks() -> None:
    bare = ServerSettings(host="0.0.0.0")
    lacks = " ".join(PublicAreas(bare, DaemonSettings(), AreaSettings()).missing(bare))
    assert all(
        name in lacks for name in ("NAME:8765", "server.public_hosts", "server.public_url", "server.trusted_proxies")
    )
    full = ServerSettings(
        host="0.0.0.0",
        public_hosts=["desk.example"],
        public_url="https://desk.example",
        trusted_proxies=["192.0.2.1"],
    )
    assert PublicAreas(full, DaemonSettings(), AreaSettings(ui=["*"])).missing(full) == [
        "No public host reaches the area agents: see server.areas.agents."
    ]
    assert PublicAreas(full, DaemonSettings(remote_agents=True), AreaSettings()).missing(full) == []


async def test_only_trusted_proxies_name_the_client(make_kernel: MakeKernel) -> None:
    kernel, client = await _with(make_kernel, {"server": {"trusted_proxies": ["192.0.2.0/24"]}})
    hops = ("X-Forwarded-For", "203.0.113.5, 198.51.100.7, 192.0.2.8")
    assert (await client("POST", "/webhook/x", hops)).json["client"] == "198.51.100.7"
    direct = await client("POST", "/webhook/x", hops, client=("203.0.113.1", 1))
    assert direct.json["client"] == "203.0.113.1"
    await kernel.stop()


async def test_cors_answers_configured_origins_only(make_kernel: MakeKernel) -> None:
    cors = {"enabled": True, "allowed_origins": ["https://ui.example"], "allow_credentials": True}
    kernel, client = await _with(make_kernel, {"security": {"cors": cors}})
    asked = ("Access-Control-Request-Method", "GET")
    good = await client("OPTIONS", "/api/v1/things", ("Origin", "https://ui.example"), asked)
    assert (good.status, good.header("access-control-allow-origin")) == (204, "https://ui.example")
    real = await client("GET", "/api/v1/things", ("Origin", "https://ui.example"), TOKEN)
    assert (real.status, real.header("access-control-allow-credentials")) == (200, "true")
    refused = await client("GET", "/api/v1/things", ("Origin", "https://ui.example"))
    assert (refused.status, refused.header("access-control-allow-origin")) == (401, "https://ui.example")
    for origin in ("https://evil.example", "null", "https://ui.example.evil.example"):
        bad = await client("OPTIONS", "/api/v1/things", ("Origin", origin), asked)
        assert bad.header("access-control-allow-origin") is None
    assert (await client("GET", "/api/daemon/who", ("Origin", "https://ui.example"), TOKEN)).status == 403
    await kernel.stop()


async def test_one_subscriber_has_one_rate_limit(make_kernel: MakeKernel) -> None:
    _, client = await _with(make_kernel, {"security": {"rate_limit": {"enabled": True, "requests": 2}}})
    statuses = [
        (await client("GET", "/api/v1/things", TOKEN, client=(address, 1))).status
        for address in ("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1", "::ffff:192.0.2.1", "192.0.2.1")
    ]
    assert statuses == [200, 200, 429, 200, 200, 200]
    assert (await client("GET", "/api/v1/things", TOKEN, client=("192.0.2.1", 1))).status == 429


async def test_the_service_rate_limit(make_kernel: MakeKernel) -> None:
    kernel, client = await _with(
        make_kernel, {"security": {"rate_limit": {"enabled": True, "requests": 2, "window": 60}}}
    )
    statuses = [(await client("GET", "/api/v1/things", TOKEN)).status for _ in range(3)]
    assert statuses == [200, 200, 429]
    blocked = await client("GET", "/api/v1/things", TOKEN)
    assert 1 <= int(blocked.header("retry-after") or 0) <= 60
    assert (await client("GET", "/api/v1/things", TOKEN, client=("192.0.2.10", 1))).status == 200
    assert (await client("POST", "/webhook/x")).status == 200
    await kernel.clock.advance(61)  # type: ignore[attr-defined]
    assert (await client("GET", "/api/v1/things", TOKEN)).status == 200
    await kernel.stop()


# ------------------------------------------------------------------------------------------------- whose socket is it?

linux = pytest.mark.skipif(sys.platform != "linux", reason="netlink and /proc are Linux's")


CONNECTS = (
    "import socket, sys; c = socket.create_connection((sys.argv[1], int(sys.argv[2]))); "
    "print(*c.getsockname()[:2], flush=True); sys.stdin.read()"
)


@contextmanager
def called(
    listener: socket.socket, *before: str, program: Sequence[str] = ("-c", CONNECTS), after: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """The scope of a connection that another process has opened; `before` and `after` stand around its command."""
    host, port = listener.getsockname()[:2]
    command = [*before, sys.executable, *program, host, str(port), *after]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        line = process.stdout.readline().decode().split()
        yield {"client": (line[0], int(line[1])), "server": (host, port)} if line else {}
        process.stdin.close()


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The pid of a daemon that has started none of the test's processes."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process.pid
        process.kill()


@linux
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6], ids=["ipv4", "ipv6"])
async def test_our_users_connection_is_ours_until_it_closes(family: socket.AddressFamily, elsewhere: int) -> None:
    with socket.socket(family) as listener:
        listener.bind(("127.0.0.1" if family == socket.AF_INET else "::1", 0))
        listener.listen()
        with called(listener) as scope, listener.accept()[0]:
            assert await PeerLookup(first=elsewhere).same_user(scope)
            assert owner_by_netlink(scope["client"], scope["server"]) == owner_by_proc(scope["client"], scope["server"])
            other = {**scope, "server": (scope["server"][0], scope["server"][1] ^ 1)}
            assert not await PeerLookup(first=elsewhere).same_user(other)
        # A closed socket shows uid 0 and inode 0, which must not satisfy a daemon that runs as root.
        assert not await PeerLookup(first=elsewhere).same_user(scope)


@linux
async def test_what_the_daemon_calls_itself_comes_from_nobody(elsewhere: int) -> None:
    """Nodes of workflows call from the daemon's process or from a worker's, wherever their authors say."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with socket.create_connection(listener.getsockname()[:2]) as client, listener.accept()[0]:
            scope = {"client": client.getsockname()[:2], "server": client.getpeername()[:2]}
            assert not await PeerLookup().same_user(scope)
            assert not await PeerLookup().same_uid(scope)
            assert await PeerLookup(first=elsewhere).same_user(scope)


@linux
@pytest.mark.parametrize("before", [[], ["sh", "-c", '"$@"; true', "-"]], ids=["child", "grandchild"])
async def test_what_the_daemon_has_started_is_nobodys(elsewhere: int, before: list[str]) -> None:
    """Such as a community node, or a server of MCP."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with called(listener, *before) as scope, listener.accept()[0]:
            assert not await PeerLookup().same_user(scope)
            assert await PeerLookup(first=elsewhere).same_user(scope)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A directory with programs that call, named as Jackfield's are; `starts/jackfield` starts another one."""
    packages = ("jackfield", "jackfield/cli", "jackfield/cli/processes", "jackfield_terminal/supervisor", "starts")
    for package in packages:
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    modules = ("jackfield/__main__.py", "jackfield/cli/processes/worker.py", "jackfield_terminal/supervisor/program.py")
    for name in (*modules, "bin/jackfield", "bin/other"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(CONNECTS)
    (tmp_path / "starts/jackfield").write_text("import subprocess, sys; subprocess.call(sys.argv[2:])")
    return tmp_path


@linux
@pytest.mark.parametrize(
    ("before", "program", "after", "let_in"),
    [
        ([], ["-m", WORKER_MODULE], [], False),
        ([], ["-I", "-S", "./jackfield_terminal/supervisor/program.py"], [], False),
        ([], ["./bin/jackfield"], ["serve", "--port", "1"], False),
        ([], ["-X", "utf8", "-um", "jackfield"], ["--config-dir", "x", "serve"], False),
        ([sys.executable, "./starts/jackfield", "serve"], ["./bin/other"], [], False),
        (["sh", "-c", 'shift 2; "$@"; true', "tmux", "jackfield", "serve"], ["./bin/other"], [], True),
        ([], ["./bin/jackfield"], ["status"], True),
        ([], ["./bin/other"], ["jackfield", "serve"], True),
        ([], ["-c", CONNECTS], ["jackfield", "serve"], True),
    ],
    ids=["worker", "supervisor", "daemon", "module", "child of a daemon", "beside a daemon", "command", "other program",
         "code"],
)  # fmt: skip
async def test_another_daemon_of_the_user_is_nobody(
    elsewhere: int, programs: Path, monkeypatch: pytest.MonkeyPatch,
    before: list[str], program: list[str], after: list[str], let_in: bool,
) -> None:  # fmt: skip
    monkeypatch.chdir(programs)
    monkeypatch.setenv("PYTHONPATH", str(programs))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with called(listener, *before, program=program, after=after) as scope, listener.accept()[0]:
            assert await PeerLookup(first=elsewhere).same_user(scope) is let_in


@linux
async def test_a_socket_that_closes_while_the_daemon_looks_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client = socket.create_connection(listener.getsockname()[:2])

        def closes(inode: int, first: int) -> bool:
            client.close()
            return False

        monkeypatch.setattr(peer, "is_of_daemons", closes)
        with listener.accept()[0]:
            scope = {"client": client.getsockname()[:2], "server": client.getpeername()[:2]}
            assert not await PeerLookup().same_user(scope)


@linux
async def test_with_sandboxes_only_a_socket_of_our_namespace_is_ours(elsewhere: int) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        lookup = PeerLookup(lambda: True, elsewhere)
        with called(listener) as scope, listener.accept()[0]:
            assert await lookup.same_user(scope)
        with called(listener, "unshare", "--user") as scope:
            if not scope:
                pytest.skip("user namespaces are not permitted here")
            assert await PeerLookup(first=elsewhere).same_user(scope)
            assert not await lookup.same_user(scope)


@linux
@pytest.mark.parametrize(
    ("began", "calls", "status"),
    [
        ("owner", "owner", 200),
        ("owner", "confined", 401),
        ("confined", "owner", 200),
        ("confined", "confined", 200),
        ("confined", "other", 401),
        ("other", "other", 200),
    ],
)
async def test_a_session_is_for_processes_as_near_as_the_one_that_began_it(
    client: Client, monkeypatch: pytest.MonkeyPatch, began: str, calls: str, status: int
) -> None:
    monkeypatch.setattr(PeerLookup, "same_user", AsyncMock(return_value=calls == "owner"))
    monkeypatch.setattr(PeerLookup, "same_uid", AsyncMock(return_value=calls != "other"))
    assert (await client("GET", "/api/v1/things", ("Cookie", f"session={began}"))).status == status


async def test_a_peer_that_cannot_be_looked_for_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """No descriptor is left, say."""

    def fails(inode: int) -> bool:
        raise OSError(24, "too many open files")

    monkeypatch.setattr(peer, "in_own_namespace", fails)
    lookup = PeerLookup(lambda: True)
    monkeypatch.setattr(lookup, "_inode", AsyncMock(return_value=7))
    assert not await lookup.same_user({})


async def test_a_peer_from_elsewhere_is_never_ours() -> None:
    assert not await PeerLookup().same_user({"client": ("192.0.2.1", 5), "server": ("127.0.0.1", 8765)})
    assert not await PeerLookup().same_user({"client": None, "server": ("127.0.0.1", 8765)})
    assert not await PeerLookup().same_user({"client": ("nonsense", 5), "server": ("127.0.0.1", 8765)})


def test_mapped_addresses_are_looked_up_as_ipv4() -> None:
    assert str(normalised("::ffff:127.0.0.1")) == "127.0.0.1"
    assert str(normalised("fe80::1%eth0")) == "fe80::1"


async def test_a_refused_websocket_is_a_real_answer(client: Client) -> None:
    sent: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "path": "/ws",
        "headers": [(b"host", b"127.0.0.1:8765"), (b"origin", b"http://evil.test")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
        "extensions": {"websocket.http.response": {}},
    }
    await client.app(scope, receive, send)  # type: ignore[arg-type]
    assert sent[0]["type"] == "websocket.http.response.start"
    assert sent[0]["status"] == 403
    sent.clear()
    await client.app({**scope, "extensions": {}}, receive, send)  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    ("path", "headers", "status", "code"),
    [
        ("/ws/nothing", [(b"authorization", b"Bearer ada")], 404, "NOT_FOUND"),
        ("//ws", [(b"authorization", b"Bearer ada")], 400, "VALIDATION_ERROR"),
        ("/ws/admin", [(b"authorization", b"Bearer ada")], 403, "ACCESS_DENIED"),
        ("/ws/broken", [(b"authorization", b"Bearer ada")], 500, "INTERNAL"),
        ("/ws/admin", [], 401, "AUTH_REQUIRED"),
    ],
)
async def test_websockets_get_the_same_answers_as_requests(
    client: Client, path: str, headers: list[tuple[bytes, bytes]], status: int, code: str
) -> None:
    sent: list[dict[str, object]] = []
    messages: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    messages.put_nowait({"type": "websocket.connect"})

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "http_version": "1.1",
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "subprotocols": [],
        "headers": [(b"host", b"127.0.0.1:8765"), *headers],
        "client": ("192.0.2.9", 1),
        "server": ("127.0.0.1", 8765),
        "extensions": {"websocket.http.response": {}},
    }
    await client.app(scope, messages.get, send)  # type: ignore[arg-type]
    assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", status)
    body = b"".join(bytes(message.get("body", b"")) for message in sent[1:])  # type: ignore[call-overload]
    assert orjson.loads(body)["code"] == code
    await asyncio.sleep(0)
