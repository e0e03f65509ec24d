"""A file of 64 MB goes through the daemon to other servers, from them and to callers, and is never whole in its
memory."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar, Self

import pytest

from jackfield.testing.daemon import HOST, Daemon, free_port, poll
from jackfield.testing.documents import Part, chain, node, webhook

SIZE = 64 * 10**6
BOUND = 24 * 10**6
"""Bytes by which the daemon may grow."""
SMALL = 300_000
"""Bytes of a file that is kept outside of its item too, to load the libraries with."""
BLOCK = bytes(range(256)) * 256


def digest(size: int) -> str:
    made = hashlib.sha256()
    for start in range(0, size, len(BLOCK)):
        made.update(BLOCK[: size - start])
    return made.hexdigest()


@dataclass
class Upload:
    headers: dict[str, str]
    size: int
    digest: str


@dataclass
class Store:
    """The other server: gives a file of any size, and says what it was given."""

    uploads: list[Upload] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    """Of the next uploads; 200 after them."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: ClassVar[Store]

    def do_GET(self) -> None:
        size = int(self.path.rpartition("/")[2].removesuffix(".bin"))
        self.send_response(200)
        self.send_header("content-type", "application/octet-stream")
        self.send_header("content-length", str(size))
        self.end_headers()
        for start in range(0, size, len(BLOCK)):
            self.wfile.write(BLOCK[: size - start])

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        left, size, made = int(headers["content-length"]), 0, hashlib.sha256()
        prefix, left = self._form_head(headers, left)
        while left:
            chunk = self.rfile.read(min(left, len(BLOCK)))
            assert chunk
            left -= len(chunk)
            size += len(chunk)
            made.update(chunk)
        end = self.rfile.read(len(prefix)) if prefix else b""
        assert end == prefix
        self.store.uploads.append(Upload(headers, size, made.hexdigest()))
        self.send_response(self.store.statuses.pop(0) if self.store.statuses else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def _form_head(self, headers: dict[str, str], left: int) -> tuple[bytes, int]:
        """Take what stands before the file of a form; what must follow it, and how long the file is."""
        boundary = re.search("boundary=(.+)", headers["content-type"])
        if boundary is None:
            return b"", left
        end = f"\r\n--{boundary[1]}--\r\n".encode()
        while b"filename=" not in (line := self.rfile.readline()):
            left -= len(line)
        left -= len(line)
        headers["file"] = line.decode().strip()
        while line := self.rfile.readline():
            left -= len(line)
            if line == b"\r\n":
                break
        return end, left - len(end)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def store() -> Iterator[tuple[Store, str]]:
    made = Store()
    server = ThreadingHTTPServer((HOST, free_port()), type("Bound", (Handler,), {"store": made}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield made, f"http://{HOST}:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def reaching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose nodes may reach this machine."""
    settings = '[webhooks]\nbody_limit = 100_000_000\n[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
    daemon = Daemon(tmp_path_factory.mktemp("streams"), settings=settings).start()
    yield daemon
    daemon.close()


def download(url: str) -> Part:
    options = {"response": {"response": {"responseFormat": "file"}}}
    return node(
        "Get", "httpRequest", {"url": f"={url}/{{{{ $json.query.size }}}}.bin", "options": options}, version=4.2
    )


def upload(url: str, **parameters: object) -> Part:
    whole = {"method": "POST", "url": f"{url}/up", "sendBody": True, **parameters}
    return node("Put", "httpRequest", whole, version=4.2)  # type: ignore[arg-type]


def memory(daemon: Daemon, what: str) -> int:
    """Bytes: VmRSS or VmHWM."""
    status = Path(f"/proc/{daemon.pid}/status").read_text()
    found = re.search(rf"{what}:\s+(\d+) kB", status)
    assert found
    return int(found[1]) * 1024


class Growth:
    """By how many bytes the daemon grew in between, at its largest."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self.bytes = 0

    def __enter__(self) -> Self:
        gc.collect()
        Path(f"/proc/{self._daemon.pid}/clear_refs").write_text("5")  # the peak is the present size again
        self._before = memory(self._daemon, "VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.bytes = memory(self._daemon, "VmHWM") - self._before


def called(daemon: Daemon, path: str, size: int) -> tuple[int, dict[str, str], int, str]:
    """Status, headers, length and digest of the answer's body."""
    made, length = hashlib.sha256(), 0
    with daemon.client(timeout=60).stream("POST", f"/webhook/{path}?size={size}") as answer:
        for chunk in answer.iter_bytes(65536):
            made.update(chunk)
            length += len(chunk)
    return answer.status_code, dict(answer.headers), length, made.hexdigest()


@pytest.mark.parametrize("way", ["node", "last"])
def test_a_download_is_answered(reaching: Daemon, store: tuple[Store, str], way: str) -> None:
    _, url = store
    if way == "node":
        options = {"responseHeaders": {"entries": [{"name": "Content-Disposition", "value": 'filename="a.bin"'}]}}
        answer = node("Answer", "respondToWebhook", {"respondWith": "binary", "options": options}, version=1.1)
        nodes = [webhook(way, responseMode="responseNode"), download(url), answer]
    else:
        nodes = [webhook(way, responseMode="lastNode", responseData="firstEntryBinary"), download(url)]
    reaching.live(chain(way, *nodes))
    assert called(reaching, way, SMALL)[0] == 200
    with Growth(reaching) as growth:
        status, headers, length, found = called(reaching, way, SIZE)
    assert (status, length, found) == (200, SIZE, digest(SIZE))
    assert headers["content-length"] == str(SIZE)
    assert "transfer-encoding" not in headers
    assert headers["content-type"] == "application/octet-stream"
    if way == "node":
        assert headers["content-disposition"] == 'filename="a.bin"'
    assert growth.bytes < BOUND


ROWS = [
    {"name": "title", "value": "ä"},
    {"name": "file", "parameterType": "formBinaryData", "inputDataFieldName": "data"},
]
BODIES = {
    "raw": {"contentType": "binaryData", "inputDataFieldName": "data"},
    "form": {"contentType": "multipart-form-data", "bodyParameters": {"parameters": ROWS}},
}


@pytest.mark.parametrize("way", BODIES)
def test_a_download_is_uploaded(reaching: Daemon, store: tuple[Store, str], way: str) -> None:
    seen, url = store
    put = {**upload(url, **BODIES[way]), "retryOnFail": True, "maxTries": 2, "waitBetweenTries": 1}
    reaching.live(chain(way, webhook(way, responseMode="lastNode"), download(url), put))
    assert called(reaching, way, SMALL)[0] == 200
    seen.statuses = [503]
    seen.uploads.clear()
    with Growth(reaching) as growth:
        assert called(reaching, way, SIZE)[0] == 200
    assert [(one.size, one.digest) for one in seen.uploads] == [(SIZE, digest(SIZE))] * 2
    for one in seen.uploads:
        assert "transfer-encoding" not in one.headers
        if way == "raw":
            assert one.headers["content-length"] == str(SIZE)
        else:
            assert one.headers["file"].endswith(f'name="file"; filename="{SIZE}.bin"')
    assert growth.bytes < BOUND


def form(size: int) -> Iterator[bytes]:
    """A form with one file, whose boundary is x."""
    yield b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n'
    for start in range(0, size, len(BLOCK)):
        yield BLOCK[: size - start]
    yield b"\r\n--x--\r\n"


def test_an_uploaded_file_is_in_memory_once(reaching: Daemon) -> None:
    """The body of a call is whole until it is authenticated; its file is neither copied nor encoded then."""
    answer = {"responseMode": "lastNode", "responseData": "firstEntryBinary", "responseBinaryPropertyName": "f"}
    reaching.live(chain("put", webhook("put", **answer)))  # type: ignore[arg-type]
    headers = {"content-type": "multipart/form-data; boundary=x"}

    def put(size: int) -> str:
        sent = reaching.client(timeout=60).post("/webhook/put", content=form(size), headers=headers)
        assert sent.status_code == 200
        return hashlib.sha256(sent.content).hexdigest()

    put(SMALL)
    with Growth(reaching) as growth:
        assert put(SIZE) == digest(SIZE)
    assert growth.bytes < SIZE + BOUND


def test_a_repeated_delivery_gets_the_file_again(reaching: Daemon, store: tuple[Store, str]) -> None:
    _, url = store
    answer = node("Answer", "respondToWebhook", {"respondWith": "binary"}, version=1.1)
    ident = reaching.live(chain("again", webhook("again", responseMode="responseNode"), download(url), answer))
    api, client = reaching.admin(), reaching.client(headers={"Idempotency-Key": "k"})
    size = 3 * 2**20  # more than webhooks.delivery_answer_bytes
    bodies = {hashlib.sha256(client.post(f"/webhook/again?size={size}").content).hexdigest() for _ in range(2)}
    assert bodies == {digest(size)}
    (row,) = api.get("/executions", params={"workflowId": ident}).json()["data"]
    execution = row["id"]
    assert api.delete(f"/executions/{execution}").status_code == 204
    assert client.post(f"/webhook/again?size={size}").json()["executionId"] == execution


def test_a_caller_that_leaves_early_takes_nothing_with_it(reaching: Daemon, store: tuple[Store, str]) -> None:
    _, url = store
    nodes = [webhook("left", responseMode="lastNode", responseData="firstEntryBinary"), download(url)]
    reaching.live(chain("left", *nodes))
    with socket.create_connection((HOST, reaching.port)) as caller:
        head = f"POST /webhook/left?size={SIZE} HTTP/1.1\r\nHost: {HOST}:{reaching.port}\r\nContent-Length: 0\r\n\r\n"
        caller.sendall(head.encode())
        assert caller.recv(100).startswith(b"HTTP/1.1 200")
    assert called(reaching, "left", SMALL)[2:] == (SMALL, digest(SMALL))


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux tells how long nothing was read")
def test_a_caller_that_reads_nothing_is_cut_off_and_holds_up_no_stop(tmp_path: Path, store: tuple[Store, str]) -> None:
    settings = '[server]\nsend_timeout = 1\n[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
    daemon = Daemon(tmp_path, settings=settings).start()
    try:
        nodes = [webhook("stall", responseMode="lastNode", responseData="firstEntryBinary"), download(store[1])]
        daemon.live(chain("stall", *nodes))
        head = f"POST /webhook/stall?size={SIZE} HTTP/1.1\r\nHost: {HOST}:{daemon.port}\r\nContent-Length: 0\r\n\r\n"
        with socket.create_connection((HOST, daemon.port)) as caller:
            caller.sendall(head.encode())
            assert caller.recv(100).startswith(b"HTTP/1.1 200")
            poll(lambda: not kept_files(daemon), "the file is let go of")
        with socket.create_connection((HOST, daemon.port)) as caller:
            caller.sendall(head.encode())
            assert caller.recv(100).startswith(b"HTTP/1.1 200")
            assert daemon.stop(20) == 0
        assert not [line for line in daemon.logs() if line["level"] == "error"]
    finally:
        daemon.close()


def kept_files(daemon: Daemon) -> list[str]:
    """Those that the daemon has open."""
    found = []
    for one in Path(f"/proc/{daemon.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(one.readlink()))
    return [name for name in found if "/binary/" in name]
