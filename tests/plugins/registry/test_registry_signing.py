"""Signed registries, and the commands that build and verify them, end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from registry_lab import COMMITS, KINDS, Lab, files_of

from jackfield.api.errors import ConfigurationError, InvalidInput, UpstreamFailed
from jackfield_registry.building import BuildOrder, build
from jackfield_registry.settings import MIB, RegistrySettings
from jackfield_registry.synced.signing import Signer, signer
from jackfield_registry.synced.verifying import signed

ONE, TWO, *_ = COMMITS


@pytest.fixture
def key() -> Signer:
    return Signer(Ed25519PrivateKey.generate())


def sign(lab: Lab, key: Signer, *, other: bytes = b"") -> None:
    for path in lab.source.folder.rglob("registry.json"):
        path.with_name("registry.json.sig").write_bytes(key.sign(path.read_bytes() + other))


async def test_a_signed_registry(lab: Lab, key: Signer) -> None:
    sign(lab, key)
    service = lab.configure(public_key=key.public_key)
    assert (await service.sync()).commit == ONE
    look = service.look()
    assert look.folder is not None
    assert service.problems(look.folder) == []
    (look.folder / "registry.json.sig").write_bytes(b"x")
    assert "not signed" in service.problems(look.folder)[0]


async def test_without_a_good_signature_nothing_is_taken(lab: Lab, key: Signer) -> None:
    sign(lab, key)
    await lab.configure(public_key=key.public_key).sync()
    lab.source.publish(TWO, "two")
    for spoil in ("old", "other", "another key", "short", "missing"):
        signature = lab.source.folder / "registry.json.sig"
        if spoil == "other":
            sign(lab, key, other=b" ")
        elif spoil == "another key":
            sign(lab, Signer(Ed25519PrivateKey.generate()))
        elif spoil == "short":
            signature.write_bytes(b"AAAA")
        elif spoil == "missing":
            signature.unlink()
        with pytest.raises(UpstreamFailed, match=r"signature|registry\.public_key"):
            await lab.service.sync(force=True)
        assert lab.label == "one"


async def test_a_pinned_commit_must_be_signed_too(lab: Lab, key: Signer) -> None:
    sign(lab, key)
    service = lab.configure(public_key=key.public_key)
    await service.sync()
    lab.source.publish(TWO, "two")
    await service.pin(TWO)
    with pytest.raises(UpstreamFailed, match="signature"):
        await service.sync()
    sign(lab, key)
    assert (await service.sync()).commit == TWO


async def test_unsigned_content_from_before_the_key_is_not_pinned_to(lab: Lab, key: Signer) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    await lab.service.sync(force=True)
    assert (await lab.configure(public_key=key.public_key).pin(ONE)).commit == TWO


@pytest.mark.parametrize("value", ["x", "00", "A" * 43, "0" * 63])
def test_a_key_that_is_none_refuses_the_start(value: str) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        RegistrySettings(public_key=value)


def test_signatures_and_keys_in_hex(key: Signer, tmp_path: Path) -> None:
    import base64

    signature = base64.b64decode(key.sign(b"index"))
    assert signed(b"index", signature.hex().encode(), base64.b64decode(key.public_key).hex())
    assert not signed(b"index ", signature.hex().encode(), key.public_key)
    private = Ed25519PrivateKey.generate()
    (tmp_path / "raw").write_text(private.private_bytes_raw().hex())
    (tmp_path / "pem").write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert signer(tmp_path / "raw").public_key == signer(tmp_path / "pem").public_key
    for content in (b"", b"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n", b"\xff"):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(ConfigurationError, match="openssl"):
            signer(tmp_path / "bad")


# -- building


@pytest.fixture
def works(tmp_path: Path) -> Path:
    """What a publisher edits."""
    for path, content in {**files_of("built"), "litellm-pricing.json": b'{"m": {}}'}.items():
        target = tmp_path / "works" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return tmp_path / "works"


async def test_what_is_built_can_be_synced(lab: Lab, works: Path, key: Signer) -> None:
    output = works / "public"
    built = build(BuildOrder(works, output, "stable", signer=key), KINDS, MIB)
    assert (built.files, built.sequence, built.new) == (5, 1, True)
    service = lab.configure(url=output.as_uri(), public_key=key.public_key)
    assert (await service.sync()).commit == built.commit
    assert lab.label == "built"
    assert json.loads((lab.root / "litellm-pricing.json").read_bytes()) == {"m": {}}


def test_the_sequence_grows_with_changes_alone(works: Path) -> None:
    plan = BuildOrder(works, works / "public", "stable")
    first = build(plan, KINDS, MIB)
    again = build(plan, KINDS, MIB)
    assert (again.commit, again.sequence, again.new) == (first.commit, 1, False)
    (works / "scripts" / "three.rhai").write_text("#{}")
    second = build(plan, KINDS, MIB)
    assert (second.sequence, second.new) == (2, True)
    (works / "scripts" / "three.rhai").write_bytes(files_of("built")["scripts/three.rhai"])
    back = build(plan, KINDS, MIB)
    assert (back.commit, back.sequence, back.new) == (first.commit, 3, False)
    assert json.loads((works / "public" / back.commit / "registry.json").read_bytes())["sequence"] == 3
    assert not list((works / "public").glob(".*"))


def test_a_damaged_commit_is_built_anew(works: Path) -> None:
    plan = BuildOrder(works, works / "public", "stable")
    built = build(plan, KINDS, MIB)
    (works / "public" / built.commit / "agents" / "one.toml").write_text("x")
    assert build(plan, KINDS, MIB).new
    assert (works / "public" / built.commit / "agents" / "one.toml").read_bytes() == files_of("built")[
        "agents/one.toml"
    ]


@pytest.mark.parametrize(
    ("path", "content", "says"),
    [
        ("agents/bad.toml", b"id = ", "agents/bad.toml: not valid TOML"),
        ("agents/bad.toml", b'id = "one"\nbinary = "x"\n', "agents/one.toml: another file has the id one"),
        ("scripts/bad name.rhai", b"#{}", "scripts/bad name.rhai: the name"),
        ("scripts/bad.rhai", b"\xff", "scripts/bad.rhai: not UTF-8"),
        ("public/registry.json", b"{", "public/registry.json is damaged"),
        ("models/bad.json", b"[]", "models/bad.json: must be an object"),
        ("pricing/other.json", b"{}", "are both prices"),
    ],
)
def test_what_cannot_be_published_is_named(works: Path, path: str, content: bytes, says: str) -> None:
    (works / path).parent.mkdir(exist_ok=True)
    (works / path).write_bytes(content)
    with pytest.raises(
        InvalidInput, match=path.rpartition("/")[2] if "one" not in content.decode("latin-1") else "one"
    ):
        build(BuildOrder(works, works / "public", "stable"), KINDS, MIB)


def test_what_is_shipped_can_be_published(tmp_path: Path) -> None:
    """With the real kinds of manifests, by the command."""
    from jackfield.core.manifests import shipped_directory

    printed = jackfield("registry", "build", shipped_directory(), "--output", tmp_path / "out")
    index = json.loads((tmp_path / "out" / "registry.json").read_bytes())
    assert index["commit"] in printed
    shipped = [path for path in shipped_directory().rglob("*.*") if path.suffix in (".toml", ".rhai", ".json")]
    tables = [value for value in index.values() if isinstance(value, dict) and "path" not in value]
    assert sum(map(len, tables)) + ("pricing" in index) == len(shipped)


def test_an_empty_directory_has_nothing_to_publish(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nothing to publish"):
        build(BuildOrder(tmp_path, tmp_path / "public", "stable"), KINDS, MIB)


# -- the command line


def jackfield(*arguments: str | Path, code: int = 0) -> str:
    command = [str(Path(sys.executable).with_name("jackfield")), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == code, run.stdout + run.stderr
    return run.stdout + run.stderr if code else run.stdout  # a slow machine is told of on the other stream


def test_commands(tmp_path: Path) -> None:
    works, config = tmp_path / "works", tmp_path / "config"
    (works / "scripts").mkdir(parents=True)
    (works / "scripts" / "one.rhai").write_text("#{}")
    (tmp_path / "key").write_text("01" * 32)
    printed = jackfield("registry", "build", works, "--key", tmp_path / "key")
    public = printed.partition('registry.public_key = "')[2].partition('"')[0]
    config.mkdir(mode=0o700)
    (config / "config.toml").write_text(
        f'[registry]\nurl = "{works / "public"}"\npublic_key = "{public}"\n', encoding="utf-8"
    )
    where = ("--config-dir", config)
    assert "nothing was synced" in jackfield("registry", "verify", *where, code=1)
    commit = json.loads(jackfield("registry", "sync", "--json", *where))["commit"]
    assert commit in jackfield("registry", "status", *where)
    assert "complete and unchanged" in jackfield("registry", "verify", *where)
    assert json.loads(jackfield("registry", "pin", commit, "--json", *where))["pinned"] == commit
    assert "pinned" not in json.loads(jackfield("registry", "pin", "--clear", "--json", *where))
    (config / "registry" / "current" / "scripts" / "one.rhai").write_text("changed")
    assert "one.rhai" in jackfield("registry", "verify", *where, code=1)
    assert "Give a COMMIT" in jackfield("registry", "pin", *where, code=2)
    assert "letters, digits" in jackfield("registry", "pin", "../x", *where, code=2)
