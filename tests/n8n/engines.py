"""Both sides of the comparison: programs that take a workflow over HTTP and tell what each of its nodes gave."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from jackfield.testing.daemon import Daemon, free_port, poll

from . import installing
from .cases import ZONE, Document
from .credentials import Given, credentials

RunData: TypeAlias = Mapping[str, list[Document]]
"""Runs by name of their node."""
PRELOADED = Path(__file__).with_name("credentials.js")
DISK = "/a-disk"
"""In documents: a directory that nodes may use, with the files of `ON_DISK`; each side has one for itself."""
ON_DISK: Mapping[str, bytes] = {
    "plain.txt": b"plain",
    "data.json": b'{"a": 1}',
    "table.csv": b"a,b\n1,2\n",
    "image.png": bytes.fromhex("89504e470d0a1a0a0000000d49484452"),
    "page.html": b"<p>one</p>",
    "unnamed": b"no extension",
    "archive.tar.gz": bytes.fromhex("1f8b0800000000000003"),
    "UPPER.TXT": b"upper",
    ".hidden": b"hidden",
    "[a] (b).txt": b"brackets",
    "deep/one.txt": b"one",
    "deep/er/two.txt": b"two",
    "deep/er/three.md": b"three",
    "empty.txt": b"",
}
READY_SECONDS = 60
RUN_SECONDS = 120


class Engine:
    """One side. client: its base address is `/api/v1`; disk: the directory that is `DISK` in documents and answers;
    stored: the credentials' ids by name, where it has them; pid: of its process."""

    def __init__(
        self, name: str, client: httpx.Client, disk: Path, stored: Mapping[str, str] | None = None, pid: int = 0
    ) -> None:
        self.name = name
        self.client = client
        self.disk = disk
        self.pid = pid
        self._stored = stored or {}

    def run(self, document: Document, items: Sequence[Document]) -> Document:
        """`status`, `error` and `data` of the ended execution; `status` is `refused` where it did not begin."""
        given = {"workflow": _with_ids(document, self._stored), "inputData": list(items)}
        body = json.dumps(given).replace(DISK, self.disk.as_posix())
        answer = self.client.post("/workflows/run", content=body, headers={"Content-Type": "application/json"})
        if answer.status_code != httpx.codes.OK:
            return {"status": "refused", "error": {"message": answer.text[:2000]}}
        found = self.client.get(f"/executions/{answer.json()['executionId']}").raise_for_status().text
        return dict(json.loads(found.replace(self.disk.as_posix(), DISK)))


class RoundTrip(Engine):
    """n8n's engine with what Jackfield exports of a workflow after its import."""

    def __init__(self, jackfield: Engine, theirs: Engine) -> None:
        super().__init__("the export", theirs.client, theirs.disk)
        self._jackfield = jackfield.client
        self._numbers = itertools.count()

    def run(self, document: Document, items: Sequence[Document]) -> Document:
        return super().run(self.exported(document), items)

    def exported(self, document: Document) -> Document:
        """As `jackfield export --n8n` writes it."""
        given = {**document, "id": f"RoundTrip{next(self._numbers):07}"}
        query = {"source": "oracle"}
        report = self._jackfield.post("/import", json=given, params=query).raise_for_status().json()
        (row,) = report["results"]
        answer = self._jackfield.get(f"/workflows/{row['id']}/n8n", params=query).raise_for_status().json()
        return dict(answer["workflow"])


@contextmanager
def n8n(directory: Path, given: Mapping[str, Given] | None = None) -> Iterator[Engine]:
    """n8n's engine in a process of its own. given: credentials by name, instead of the usual ones. Raises
    `installing.NotThere`."""
    place, program, port = installing.directory(), installing.node(), free_port()
    output, disk = directory / "n8n.log", filled(directory / "n8n-disk")
    with output.open("wb") as log:
        command = [program, "--require", str(PRELOADED), "adapter.js", str(port)]
        process = subprocess.Popen(
            command,
            cwd=place,
            env=_environment(disk, credentials() if given is None else given),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", trust_env=False, timeout=RUN_SECONDS) as client:
            poll(lambda: _answers(client, process, output), "n8n's engine answers", timeout=READY_SECONDS)
            yield Engine("n8n", client, disk, pid=process.pid)
    finally:
        process.terminate()
        process.wait(10)


def filled(directory: Path) -> Path:
    """The directory with `ON_DISK`."""
    for name, content in ON_DISK.items():
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return directory


def _environment(disk: Path, known: Mapping[str, Given]) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("N8N_", "NODE_", "JACKFIELD_"))}
    values = {name: dict(given.values) for name, given in known.items()}
    more = {"GENERIC_TIMEZONE": ZONE, "BI": "crypto,node:crypto", "COMPARED_CREDENTIALS": json.dumps(values)}
    return {**kept, "TZ": "UTC", "N8N_RESTRICT_FILE_ACCESS_TO": str(disk), **more}


def _answers(client: httpx.Client, process: subprocess.Popen[bytes], output: Path) -> bool:
    if process.poll() is not None:
        raise AssertionError(f"n8n's engine ended with code {process.returncode}\n{output.read_text()[-2000:]}")
    try:
        return client.get("http://" + client.base_url.netloc.decode() + "/health").is_success
    except httpx.TransportError:
        return False


@contextmanager
def jackfield(directory: Path, given: Mapping[str, Given] | None = None, settings: str = "") -> Iterator[Engine]:
    """A daemon as users run it. given: as above; settings: further ones."""
    disk, known = filled(directory / "disk"), credentials() if given is None else given
    daemon = Daemon(directory, settings=f'[nodes.files]\nroot = "{disk}"\n{settings}', env={"TZ": "UTC"})
    try:
        client = daemon.start().admin(timeout=RUN_SECONDS)
        stored = {name: _stored(client, name, one) for name, one in known.items()}
        yield Engine("Jackfield", client, disk, stored, daemon.pid)
    finally:
        daemon.close()


def _stored(client: httpx.Client, name: str, given: Given) -> str:
    made = client.post("/credentials", json={"name": name, "kind": given.kind, "values": dict(given.values)})
    return str(made.raise_for_status().json()["id"])


def _with_ids(document: Document, stored: Mapping[str, str]) -> Document:
    """The document with the credentials' ids in place of their names."""
    return {**document, "nodes": [_node_with_ids(node, stored) for node in document["nodes"]]}


def _node_with_ids(node: Document, stored: Mapping[str, str]) -> Document:
    given = node.get("credentials")
    if not stored or not given:
        return node
    named = {kind: {**one, "id": stored.get(one.get("name"), one.get("id"))} for kind, one in given.items()}
    return {**node, "credentials": named}


def run_data(found: Mapping[str, Any]) -> RunData:
    """Runs by name of their node, each as `outputs`, `error` and `index`: how many node runs began before it."""
    if "nodes" in found:
        return dict(found["nodes"])
    data = found.get("data") or {}
    runs = (data.get("resultData") or {}).get("runData") or {}
    return {name: [_of_n8n(each) for each in given] for name, given in runs.items()}


def _of_n8n(given: Mapping[str, Any]) -> Document:
    outputs = (given.get("data") or {}).get("main")
    return {"outputs": outputs, "error": given.get("error"), "index": given.get("executionIndex")}
