"""Parts of libraries that ours are written for: a library that has changed one is refused before the start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from jackfield.api.replaced_parts import PatchPoint, misfit
from jackfield.http import fitting
from jackfield.testing.daemon import Daemon

MODULE = "library_of_a_test"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType(MODULE)
    source = """
class Server:
    limit = 1

    def __init__(self, app, *, loop=None):
        self.app = app

    def run(self):
        async def inner():
            return self.close()
        return inner

    def close(self): ...

Same = Server
"""
    exec(source, vars(module))
    monkeypatch.setitem(sys.modules, MODULE, module)
    return module


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        (PatchPoint("Server"), None),
        (PatchPoint("Server.limit"), None),
        (PatchPoint("Server.__init__", ("self", "app", "loop")), None),
        (PatchPoint("Server.__init__", accepts=("loop",), names=("app",)), None),
        (PatchPoint("Server.run", names=("close",)), None),
        (PatchPoint("Same", same=f"{MODULE}:Server"), None),
        (PatchPoint("Gone"), "is not there"),
        (PatchPoint("Server.gone"), "is not there"),
        (PatchPoint("Server", same="module_that_is_gone:Server"), "is not there"),
        (PatchPoint("Server.limit", ()), "is no function"),
        (PatchPoint("Server.close", ("self", "event")), "takes (self) and not (self, event)"),
        (PatchPoint("Server.__init__", accepts=("loop", "backlog", "ssl")), "does not take backlog, ssl"),
        (PatchPoint("Server.run", names=("close", "drain")), "does not use drain"),
        (PatchPoint("Server.run", same=f"{MODULE}:Server.close"), f"is another object than {MODULE}:Server.close"),
    ],
)
def test_a_part_and_what_is_wrong_with_it(library: ModuleType, part: PatchPoint, problem: str | None) -> None:
    found = PatchPoint(f"{MODULE}:{part.reference}", part.parameters, part.accepts, part.names, part.same)
    assert found.problem() == problem


def test_what_the_user_is_told() -> None:
    told = misfit(
        "hypercorn",
        [PatchPoint("hypercorn.config:Gone"), PatchPoint("hypercorn.config:Config"), PatchPoint("gone:Gone")],
    )
    assert told is not None
    assert "hypercorn.config:Gone is not there; gone:Gone is not there" in told
    assert told.startswith("hypercorn 0.")
    assert "Install hypercorn" in told
    assert misfit("hypercorn", [PatchPoint("hypercorn.config:Config")]) is None


def test_the_installed_hypercorn_fits() -> None:
    """In a process of its own: after `install` its places hold ours."""
    code = "from jackfield.http.fitting import require_fit; require_fit()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_every_part_that_is_replaced_is_looked_at() -> None:
    from jackfield.http import hypercorn_parts
    from jackfield.http.hypercorn_connections import connection, http1, settings, tasks, whole_requests

    looked = {part.reference for part in fitting.PARTS}
    replaced = (
        connection.HypercornConnection, whole_requests.WholeRequests, tasks.ConnectionTasks,
        hypercorn_parts.HypercornStream, settings.OwnConfig, http1.Http1Protocol,
    )  # fmt: skip
    for own in replaced:
        theirs = next(base for base in own.__mro__ if not base.__module__.startswith("jackfield."))
        for name in vars(own).keys() & vars(theirs).keys():
            if isinstance(vars(own)[name], FunctionType):
                assert f"{theirs.__module__}:{theirs.__name__}.{name}" in looked


TCP = "import hypercorn.asyncio.run as run\nfrom hypercorn.asyncio.tcp_server import TCPServer\n"
CHANGED = [
    (
        "hypercorn",
        TCP + "TCPServer._close = lambda self, reason: None",
        "TCPServer._close takes (self, reason) and not (self)",
    ),
    ("hypercorn", TCP + "del TCPServer._read_data", "TCPServer._read_data is not there"),
    ("hypercorn", TCP + "run.TCPServer = type('TCPServer', (TCPServer,), {})", "run:TCPServer is another object"),
    ("uvicorn", "from uvicorn import Server\ndel Server.on_tick", "Server.on_tick is not there"),
]


def test_auto_serves_with_hypercorn_where_another_uvicorn_is_installed(tmp_path: Path) -> None:
    """For something else than the daemon: nobody has asked for it here."""
    pytest.importorskip("uvicorn")
    old = "import httptools\nclass Old: pass\nhttptools.HttpRequestParser = Old"
    (tmp_path / "sitecustomize.py").write_text(old)
    daemon = Daemon(tmp_path / "daemon", env={"PYTHONPATH": str(tmp_path)})
    try:
        assert daemon.start().client().get("/health").status_code == 200
        assert "httptools:HttpRequestParser.set_dangerous_leniencies is not there" in daemon.tail()
        assert daemon.stop() == 0
    finally:
        daemon.close()


@pytest.mark.parametrize(("server", "change", "told"), CHANGED, ids=["signature", "gone", "place", "uvicorn"])
def test_a_start_with_a_changed_server_is_refused(tmp_path: Path, server: str, change: str, told: str) -> None:
    pytest.importorskip(server)
    (tmp_path / "sitecustomize.py").write_text(change)
    daemon = Daemon(tmp_path / "daemon", env={"PYTHONPATH": str(tmp_path)}, arguments=["--server", server])
    try:
        assert daemon.start(wait=False).wait() != 0
        found = " ".join(daemon.tail().split())
        assert told in found
        assert f"{server} 0." in found
        assert "Traceback" not in found
    finally:
        daemon.close()
