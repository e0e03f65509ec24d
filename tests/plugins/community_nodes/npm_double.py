"""A registry of npm and a service on loopback. The registry's packages are directories; the service tells what it was
asked."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from jackfield_community_nodes.processes.commands import NodeProgram, problem_of_sandbox

NODE = shutil.which("node")
WORKS = NODE is not None and problem_of_sandbox(NodeProgram(Path(NODE).resolve(), (20, 0))) is None
needs_node = pytest.mark.skipif(not WORKS, reason="Node.js or bubblewrap does not work here")
PACKAGES = Path(__file__).with_name("packages")


def archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return made.getvalue()


def packed(directory: Path) -> bytes:
    files = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return archive({f"package/{path.relative_to(directory)}": path.read_bytes() for path in files})


class NpmDouble:
    """tampered: packages whose archive is another than announced; archives: by file name."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.documents: dict[str, dict[str, Any]] = {}
        self.archives: dict[str, bytes] = {}
        self.tampered: set[str] = set()
        self.tokens: list[str] = []

    def publish(self, manifest: dict[str, Any], content: bytes, *, old: bool = False) -> None:
        """old: with the hash that packages had before."""
        name, version = manifest["name"], manifest["version"]
        file = f"{name.replace('/', '-')}-{version}.tgz"
        self.archives[file] = content
        dist: dict[str, Any] = {"tarball": f"{self.url}/files/{file}"}
        if old:
            dist["shasum"] = hashlib.sha1(content).hexdigest()
        else:
            dist["integrity"] = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
        document = self.documents.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}})
        document["versions"][version] = {**manifest, "dist": dist}
        document["dist-tags"]["latest"] = version

    def publish_directory(self, directory: Path, **changes: Any) -> None:
        manifest = {**json.loads((directory / "package.json").read_text()), **changes}
        self.publish(manifest, packed(directory))

    def integrity(self, name: str, version: str) -> str:
        return str(self.documents[name]["versions"][version]["dist"]["integrity"])


class Service:
    """seen: method, path and headers of each request."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, str]]] = []

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, Any]:
        self.seen.append((method, path, headers))
        parts = urlsplit(path)
        query = parse_qs(parts.query)
        if parts.path == "/orders":
            first, count = int(query["offset"][0]), int(query["limit"][0])
            return 200, {"orders": [{"id": number} for number in range(first, min(first + count, 5))]}
        if parts.path == "/invoice":
            return 200, b"%PDF-invoice"
        if parts.path == "/shelves":
            return 200, {"shelves": [f"{query.get('filter', [''])[0]}-top", "low"], "next": "2"}
        if parts.path == "/refused":
            return 404, {"error": {"message": "no such thing"}}
        if parts.path == "/me" and headers.get("authorization") != "Bearer key-of-acme":
            return 401, {"message": "who?"}
        told = {
            name: headers[name]
            for name in ("authorization", "x-signature", "x-raw", "x-version", "content-type")
            if name in headers
        }
        return 200, {"method": method, "path": path, "body": body.decode("latin-1"), "headers": told}


class _Handler(BaseHTTPRequestHandler):
    npm: NpmDouble
    service: Service

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = unquote(self.path)
        if path.startswith("/npm/files/"):
            file = path.rpartition("/")[2]
            content = self.npm.archives[file]
            status, found = 200, content[:-9] + b"tampered!" if file in self.npm.tampered else content
        elif path.startswith("/npm/"):
            self.npm.tokens.append(headers.get("authorization", ""))
            document = self.npm.documents.get(path.removeprefix("/npm/"))
            status, found = (404, {}) if document is None else (200, document)  # type: ignore[assignment]
        else:
            status, found = self.service.answer(self.command, self.path, headers, body)
        content = found if isinstance(found, bytes) else json.dumps(found).encode()
        self.send_response(status)
        self.send_header("content-type", "application/pdf" if isinstance(found, bytes) else "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve  # noqa: N815 - the base class looks for these

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def doubles() -> Iterator[tuple[NpmDouble, Service, str]]:
    """The registry with our packages, the service, and its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    npm, service = NpmDouble(f"{url}/npm"), Service()
    server.RequestHandlerClass = type("Handler", (_Handler,), {"npm": npm, "service": service})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("n8n-nodes-acme", "left-helper-1", "left-helper-2", "middle-helper"):
        npm.publish_directory(PACKAGES / name)
    try:
        yield npm, service, url
    finally:
        server.shutdown()
        server.server_close()
