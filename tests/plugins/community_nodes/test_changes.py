"""Adding, updating and removing, and archives that are not what they should be."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from npm_double import PACKAGES, NpmDouble, archive, doubles, needs_node

from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound, UpstreamFailed
from jackfield.testing.context import FakeContext
from jackfield_community_nodes.changes import Changes
from jackfield_community_nodes.offers import credential_kinds, nodes
from jackfield_community_nodes.packages import read_index
from jackfield_community_nodes.processes import pools
from jackfield_community_nodes.processes.pools import PackageProcesses
from jackfield_community_nodes.settings import CommunityNodesSettings
from jackfield_workers.pool import SharedWorkerPool

pytestmark = needs_node
ACME = "n8n-nodes-acme"
NODE = b"exports.Tiny = class { constructor() { this.description = { name: 'tiny', displayName: 'Tiny', version: 1, "
NODE += (
    b"group: ['transform'], inputs: ['main'], outputs: ['main'], properties: [] }; } async execute() { return []; } };"
)


class Renewals:
    """`ChangingNodes` that counts."""

    def __init__(self) -> None:
        self.renewals = 0

    def renew(self, plugin: str) -> None:
        assert plugin == "community_nodes"
        self.renewals += 1


class Bench:
    def __init__(self, directory: Path, npm: NpmDouble) -> None:
        self.directory, self.npm, self.renewals = directory, npm, Renewals()
        self.context: FakeContext
        self.set()

    def set(self, **settings: Any) -> None:
        table = CommunityNodesSettings(registry=self.npm.url, **settings)
        ports = {"ChangingNodes": self.renewals, "ScriptWorkers": SharedWorkerPool()}
        self.context = FakeContext(self.directory, tables=[table], ports=ports)

    @property
    def changes(self) -> Changes:
        return self.context.port(Changes)

    def publish(self, name: str, *, files: dict[str, bytes] | None = None, **manifest: Any) -> None:
        """A package with one node that does nothing."""
        whole = {"name": name, "version": "1.0.0", "n8n": {"nodes": ["Tiny.node.js"]}, **manifest}
        content = {"package/package.json": json.dumps(whole).encode(), "package/Tiny.node.js": NODE}
        self.npm.publish(whole, archive({**content, **(files or {})}), old=bool(manifest.get("old")))

    def left(self) -> set[str]:
        place = self.directory / "community-nodes"
        return {path.name.rpartition("-")[0] or path.name for path in place.iterdir()} if place.is_dir() else set()


@pytest.fixture
def npm() -> Iterator[NpmDouble]:
    with doubles() as (found, _, _):
        yield found


@pytest.fixture
async def bench(tmp_path: Path, npm: NpmDouble) -> AsyncIterator[Bench]:
    made = Bench(tmp_path, npm)
    yield made
    await made.context.port(PackageProcesses).close()


async def test_without_packages_nothing_is_read(bench: Bench) -> None:
    assert (nodes(bench.context), credential_kinds(bench.context)) == ((), ())  # type: ignore[arg-type]


async def test_an_update_takes_the_place_of_what_was_there(bench: Bench, npm: NpmDouble) -> None:
    first = await bench.changes.add(ACME, "", "")
    npm.publish_directory(PACKAGES / ACME, version="1.3.0")
    with pytest.raises(Conflict):
        await bench.changes.add(ACME, "", "")
    second = await bench.changes.update(ACME, "", "")
    assert (first.version, second.version) == ("1.2.0", "1.3.0")
    [kept] = read_index(bench.context).packages  # type: ignore[arg-type]
    assert kept == second
    assert not (bench.directory / "community-nodes" / first.directory).exists()
    assert [offer.kind for offer in nodes(bench.context)][:2] == [f"{ACME}.acme", f"{ACME}.acmeOrders"]  # type: ignore[arg-type]
    back = await bench.changes.update(ACME, "~1.2", "")
    assert back.version == "1.2.0"
    await bench.changes.remove(ACME)
    assert bench.left() == {"index.json"}
    assert bench.renewals.renewals == 4
    with pytest.raises(NotFound):
        await bench.changes.remove(ACME)


async def test_a_failed_update_leaves_what_was_there(bench: Bench, npm: NpmDouble) -> None:
    first = await bench.changes.add(ACME, "", "")
    npm.publish_directory(PACKAGES / ACME, version="1.3.0")
    npm.tampered.add("n8n-nodes-acme-1.3.0.tgz")
    with pytest.raises(UpstreamFailed, match="its hash differs"):
        await bench.changes.update(ACME, "", "")
    assert read_index(bench.context).packages == [first]  # type: ignore[arg-type]
    assert (bench.directory / "community-nodes" / first.directory).is_dir()


async def test_hashes(bench: Bench, npm: NpmDouble) -> None:
    npm.tampered.add("left-helper-1.4.0.tgz")
    with pytest.raises(UpstreamFailed, match=r"left-helper 1\.4\.0"):
        await bench.changes.add(ACME, "", "")
    npm.tampered.clear()
    wrong = "sha512-" + "A" * 86 + "=="
    with pytest.raises(InvalidInput, match="not the one that you gave"):
        await bench.changes.add(ACME, "", wrong)
    assert bench.left() == set()
    bench.publish("n8n-nodes-old", old=True)
    assert (await bench.changes.add("n8n-nodes-old", "", "")).integrity.startswith("sha512-")


async def test_the_token_goes_to_the_registry(bench: Bench, npm: NpmDouble) -> None:
    bench.set(registry_token="token-of-npm")
    bench.publish("n8n-nodes-tiny")
    await bench.changes.add("n8n-nodes-tiny", "", "")
    assert set(npm.tokens) == {"Bearer token-of-npm"}


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"files": {"package/../../../evil.js": b"x"}}, {}, "leads out of it"),
    ({"files": {"/package/evil.js": b"x"}}, {}, "leads out of it"),
    ({"files": {"package/big.bin": b"x" * (2 << 20)}}, {"max_size": 1}, "max_size"),
    ({"dependencies": {"left-helper": "^1"}}, {"max_dependencies": 0}, "max_dependencies"),
    ({"dependencies": {"x": "git+https://a.example/x.git"}}, {}, "from elsewhere"),
    ({"dependencies": {"x": "file:../x"}}, {}, "from elsewhere"),
    ({"dependencies": {"../x": "1"}}, {}, "from elsewhere"),
    ({"dependencies": {"left-helper": "^9"}}, {}, "no version ^9"),
    ({"dependencies": {"absent-helper": "1"}}, {}, "no package absent-helper"),
    ({"n8n": {"nodes": []}}, {}, "no package of nodes"),
    ({"n8n": {"nodes": ["../../etc/x.js"]}}, {}, "no package of nodes"),
    ({"n8n": {"nodes": ["Absent.node.js"]}}, {}, "can be loaded"),
    ({}, {"changes": "none"}, "community_nodes.changes"),
    ({}, {"node": "no-such-node"}, "there is no program no-such-node"),
]


@pytest.mark.parametrize(("package", "settings", "word"), REFUSED)
async def test_what_is_refused(bench: Bench, package: dict[str, Any], settings: dict[str, Any], word: str) -> None:
    bench.set(**settings)
    bench.publish("n8n-nodes-tiny", **package)
    with pytest.raises(JackfieldError, match=word.replace("^", r"\^")):
        await bench.changes.add("n8n-nodes-tiny", "", "")
    assert bench.left() <= {"index.json"}
    assert not await asyncio.to_thread((bench.directory / "evil.js").exists)


async def test_without_a_sandbox_nothing_runs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "problem_of_sandbox", lambda _: "bubblewrap says: no.")
    bench.publish("n8n-nodes-tiny")
    with pytest.raises(InvalidInput, match=r"bubblewrap says: no\.") as caught:
        await bench.changes.add("n8n-nodes-tiny", "", "")
    assert "community_nodes.sandbox" in caught.value.message


async def test_packages_of_n8n_are_never_brought(bench: Bench, npm: NpmDouble) -> None:
    bench.publish("n8n-nodes-tiny", dependencies={"n8n-workflow": "*", "n8n-core": "1"}, peerDependencies={"n8n": "*"})
    assert (await bench.changes.add("n8n-nodes-tiny", "", "")).dependencies == []
