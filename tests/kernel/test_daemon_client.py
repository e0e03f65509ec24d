"""Commands beside a daemon whose address cannot be read."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from jackfield.api.daemon import DaemonAbsent, DaemonClient
from jackfield.api.errors import JackfieldError


@pytest.mark.parametrize(
    "address",
    [b"", b"http", b"\x00" * 23, b"\xff\xfe", b"http://127.0.0.1:x765\n", b"http://[127.0.0.1\n", b"http://127.0.0.1:\x01\n",
     b"http:/127.0.0.1:8765\n", b"http://127.0.0.1:876500\n"],
)  # fmt: skip
def test_a_damaged_address_is_an_error_and_no_failure(
    tmp_path: Path, address: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JACKFIELD_DAEMON_ENDPOINT", raising=False)
    (tmp_path / "daemon-endpoint").write_bytes(address)
    with pytest.raises(JackfieldError):
        DaemonClient(tmp_path).ask("GET", "/api/profiles")


def test_without_the_file_there_is_no_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JACKFIELD_DAEMON_ENDPOINT", raising=False)
    with pytest.raises(DaemonAbsent):
        DaemonClient(tmp_path).ask("GET", "/api/profiles")


@pytest.mark.parametrize(
    ("host", "sent"), [("127.0.0.1", True), ("[::1]", True), ("localhost", True), ("192.0.2.1", False)]
)
def test_the_token_stays_on_this_machine(
    tmp_path: Path, host: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JACKFIELD_DAEMON_ENDPOINT", raising=False)
    (tmp_path / "daemon-endpoint").write_text(f"http://{host}:8765\n")
    (tmp_path / "daemon-token").write_text("token-of-this-machine\n")
    assert bool(DaemonClient(tmp_path).headers()) is sent


def test_a_redirect_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Redirecting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{server.server_port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.delenv("JACKFIELD_DAEMON_ENDPOINT", raising=False)
    with HTTPServer(("127.0.0.1", 0), Redirecting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (tmp_path / "daemon-endpoint").write_text(f"http://127.0.0.1:{server.server_port}\n")
        (tmp_path / "daemon-token").write_text("token-of-this-machine\n")
        with pytest.raises(JackfieldError, match="302"):
            DaemonClient(tmp_path).ask("GET", "/api/profiles")
        server.shutdown()
    assert asked == ["/api/profiles"]
