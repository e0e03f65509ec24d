"""Packages, archives and registries that are made to exhaust the daemon, to deceive it, or to reach another's."""

from __future__ import annotations

import asyncio
import fcntl
import gzip
import io
import json
import os
import tarfile
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from npm_double import NpmDouble, doubles, needs_node
from test_changes import Bench

from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.nodes import NodeError
from jackfield_community_nodes.nodes.results import outputs_of
from jackfield_community_nodes.nodes.serving import RunServing
from jackfield_community_nodes.npm import archives
from jackfield_community_nodes.npm.archives import unpack
from jackfield_community_nodes.npm.registry import NpmRegistry
from jackfield_community_nodes.npm.versions import Version, VersionRange
from jackfield_community_nodes.offers import credential_kinds
from jackfield_community_nodes.packages import read_index, root_of
from jackfield_community_nodes.processes.pools import PackageProcesses

NAME = "n8n-nodes-hostile"
HEAD = "description = { name: 'tiny', displayName: 'Tiny', version: 1, group: ['transform'], inputs: ['main'], "
HEAD += "outputs: ['main'], properties: [] };"


def node_of(work: str, constructor: str = "") -> dict[str, bytes]:
    text = f"exports.Tiny = class {{ {HEAD} constructor() {{ {constructor} }} async execute() {{ {work} }} }};"
    return {"package/Tiny.node.js": text.encode()}


@pytest.fixture
def npm() -> Iterator[NpmDouble]:
    with doubles() as (found, _, _):
        yield found


@pytest.fixture
async def bench(tmp_path: Path, npm: NpmDouble) -> AsyncIterator[Bench]:
    made = Bench(tmp_path, npm)
    yield made
    await made.context.port(PackageProcesses).close()


async def ran(bench: Bench, serve: Any, step: int = 0) -> Any:
    """The JSON of the first item that the package's node gives."""
    [package] = read_index(bench.context).packages  # type: ignore[arg-type]
    message = {
        "kind": "execute", "file": "Tiny.node.js", "node": {"name": "Tiny", "typeVersion": 1, "parameters": {}},
        "items": [[{"json": {"step": step}}]], "parameters": [{}],
    }  # fmt: skip
    root = root_of(bench.context, package)  # type: ignore[arg-type]
    answer = await bench.context.port(PackageProcesses).ask(root, NAME, message, serve)
    return answer["outputs"][0][0]["json"]


@needs_node
async def test_code_that_goes_on_after_its_run_gets_nothing_of_the_next(bench: Bench) -> None:
    work = """
        if (this.getInputData()[0].json.step === 0) {
          const gate = new Promise((open) => { globalThis.open = open; });
          const late = gate.then(() => this.getCredentials('tinyApi'));
          globalThis.late = late.catch((error) => ({ refused: error.message }));
          return [[{ json: {} }]];
        }
        globalThis.open();
        return [[{ json: await globalThis.late }]];
    """

    async def serve(what: str, given: Mapping[str, Any]) -> Any:
        return {"key": "of the second run"}

    bench.publish(NAME, files=node_of(work))
    await bench.changes.add(NAME, "", "")
    await ran(bench, serve)
    assert await ran(bench, serve, 1) == {"refused": "The run that this belongs to has ended."}


@needs_node
async def test_what_cannot_be_served_is_answered_at_once(bench: Bench) -> None:
    work = (
        "try { await this.getCredentials('tinyApi'); } catch (error) { return [[{ json: { said: error.message } }]]; }"
    )

    async def serve(what: str, given: Mapping[str, Any]) -> Any:
        raise ValueError("key-of-acme")

    bench.set(timeout=5)
    bench.publish(NAME, files=node_of(work))
    await bench.changes.add(NAME, "", "")
    assert await ran(bench, serve) == {"said": "The daemon cannot serve credential."}


@needs_node
async def test_without_a_sandbox_it_signals_no_process(bench: Bench) -> None:
    work = """
        const said = {};
        for (const name of ['kill', '_kill', '_debugProcess']) {
          try { process[name](process.ppid, 0); said[name] = 'done'; } catch (error) { said[name] = error.code; }
        }
        return [[{ json: said }]];
    """
    bench.set(sandbox="permissions")
    bench.publish(NAME, files=node_of(work))
    await bench.changes.add(NAME, "", "")
    assert set((await ran(bench, None)).values()) == {"ERR_ACCESS_DENIED"}


FORGED = [{"nodes": [{"file": "Tiny.node.js", "types": []}]}, {"nodes": 5}, [], None]


@needs_node
@pytest.mark.parametrize("forged", FORGED)
async def test_a_forged_description_is_refused(bench: Bench, forged: Any) -> None:
    frame = json.dumps(json.dumps({"result": forged}))
    work = f"""
        const body = Buffer.from({frame}), head = Buffer.alloc(4);
        head.writeUInt32BE(body.length);
        require('fs').writeSync(0, Buffer.concat([head, body]));
    """
    bench.publish(NAME, files=node_of("return [];", work))
    with pytest.raises(InvalidInput, match="nobody understands"):
        await bench.changes.add(NAME, "", "")
    assert bench.left() == set()


@pytest.mark.parametrize("given", [5, [5], [["x"], {"json": {}}]])
async def test_outputs_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(NodeError, match="list"):
        await outputs_of(given, cast("RunServing", None), [0])


async def test_many_items_leave_the_event_loop_to_others() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.ensure_future(count())
    made = await outputs_of([None, [{"json": {}}] * 20_000], cast("RunServing", None), [0])
    task.cancel()
    assert [len(items) for items in made] == [0, 20_000]
    assert turns > 10


def tar(*members: tuple[bytes, str, int]) -> bytes:
    """type, name and size of each; its content is zeros."""
    made = io.BytesIO()
    for kind, name, size in members:
        info = tarfile.TarInfo(name)
        info.type, info.size = kind, size
        made.write(info.tobuf(tarfile.USTAR_FORMAT) + bytes(-(-size // 512) * 512))
    return gzip.compress(made.getvalue() + bytes(1024), 1)


MIB = 1 << 20
ATTACKS = [
    (tar((tarfile.XHDTYPE, "x", 3 * MIB)), "headers is too long"),
    (tar((tarfile.GNUTYPE_LONGNAME, "x", 3 * MIB)), "headers is too long"),
    (tar((tarfile.SYMTYPE, "package/x", 0), (b"Z", "package/y", 5 * MIB)), "max_size"),
    (tar(*((tarfile.SYMTYPE, "package/x", 0) for _ in range(30))), "more than 20 files"),
    (tar(*((tarfile.REGTYPE, f"package/{n}/a/b/c/x", 0) for n in range(10))), "more than 20 files"),
    (tar((tarfile.REGTYPE, "p" + "/p" * 100, 0)), "too long"),
    (tar((tarfile.REGTYPE, "package/../x", 0)), "leads out"),
    (b"\x1f\x8bno archive", "cannot be unpacked"),
]


@pytest.mark.parametrize(("content", "word"), ATTACKS)
def test_archives_that_exhaust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, word: str) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 20)
    path = tmp_path / "a.tgz"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=word):
        unpack(path, tmp_path / "target", 4 * MIB)


async def test_dependencies_without_end_are_not_asked_for(bench: Bench, npm: NpmDouble) -> None:
    bench.publish(NAME, dependencies={f"helper-{number}": "1" for number in range(700)})
    with pytest.raises(InvalidInput, match="max_dependencies"):
        await bench.changes.add(NAME, "", "")
    assert len(npm.tokens) == 1


def test_words_of_a_registry_are_bounded() -> None:
    with pytest.raises(ValueError, match="too long"):
        Version.of("1.0.0-" + "9" * 5000)
    with pytest.raises(ValueError, match="too long"):
        VersionRange("1||" * 1000)


async def test_the_token_goes_to_its_origin_alone() -> None:
    registry = NpmRegistry("https://npm.example/", "token-of-npm", 1.0)
    sent = {
        url: "Authorization" in registry._headers(HttpAddress.of(url), "*/*")
        for url in ("https://npm.example/a.tgz", "http://npm.example/a.tgz", "https://npm.example:8443/a.tgz")
    }
    assert list(sent.values()) == [True, False, False]


@needs_node
async def test_a_tarball_that_is_no_url_is_the_registrys_fault(bench: Bench, npm: NpmDouble) -> None:
    bench.publish(NAME)
    for where in ("file:///etc/passwd", "no url", "http://"):
        npm.documents[NAME]["versions"]["1.0.0"]["dist"]["tarball"] = where
        with pytest.raises(Exception, match="did not come"):
            await bench.changes.add(NAME, "", "")


@needs_node
async def test_one_change_at_a_time_removes_what_a_killed_one_left(bench: Bench) -> None:
    place = bench.directory / "community-nodes"
    left = place / "n8n-nodes-killed-abc"
    (left / "node_modules").mkdir(parents=True)
    bench.publish(NAME)
    descriptor = os.open(place, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(Conflict, match="Another process"):
        await bench.changes.add(NAME, "", "")
    os.close(descriptor)
    await bench.changes.add(NAME, "", "")
    assert not left.exists()
    assert bench.left() == {"index.json", NAME}


@needs_node
async def test_a_later_package_takes_no_kind_of_credential_from_an_earlier_one(bench: Bench) -> None:
    def published(name: str, version: str, title: str, secret: str) -> None:
        text = (
            f"exports.TinyApi = class {{ name = 'tinyApi'; displayName = '{title}'; properties = [{{ name: 'key', "
            f"displayName: 'Key', type: 'string', default: '', typeOptions: {{ password: {secret} }} }}]; }};"
            "exports.Evil = class { name = '../evil'; displayName = 'Evil'; properties = []; };"
        )
        content = {"package/TinyApi.credentials.js": text.encode(), "package/Evil.credentials.js": text.encode()}
        listed = {"nodes": ["Tiny.node.js"], "credentials": ["TinyApi.credentials.js", "Evil.credentials.js"]}
        bench.publish(name, version=version, files=content, n8n=listed)

    published("n8n-nodes-later", "1.0.0", "First", "true")
    await bench.changes.add("n8n-nodes-later", "", "")
    published("n8n-nodes-earlier", "1.0.0", "Thief", "false")
    await bench.changes.add("n8n-nodes-earlier", "", "")
    published("n8n-nodes-later", "1.1.0", "First again", "true")
    await bench.changes.update("n8n-nodes-later", "", "")
    [kind] = credential_kinds(bench.context)  # type: ignore[arg-type]
    assert (kind.title, kind.secret("key")) == ("First again", True)
