"""The master key: what is derived from it, which of several seals, and how the store and the daemon agree."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from jackfield.api.clock import SystemClock
from jackfield.api.errors import ConfigurationError
from jackfield.api.storage import Credential
from jackfield.core.key_agreement import agree, follow
from jackfield.core.keys.derivation import MasterKey, hkdf
from jackfield.core.keys.record import FACT, KeyRecord, read_record
from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.testing.store import MemoryStore

FIRST, SECOND = "first master key, 32 bytes and more of it", "second master key, 32 bytes and more of it"
WANTED = {
    "seal": "08fced74d8545773428361cbbb16bc9c6bcae08d703b01bc50b60cfb5cfdc8e4",
    "fingerprint": "f955ca9626a96e2f",
    "jwt": "16bb69e2a9f9c12dea4c3598742315082085cdb5be8cc6046f8a12fe7cfb6bf5",
    "jwt-hs512": (
        "0d2b34a649225b4064829dbaa4dbb92e1dad9d2bc2e49859cee660e2321b38e7"
        "c354dce7081b2bf0ad1a28cae1eadf553c2cb2de8035ec17847ec3aaf1524eaa"
    ),
    "resume": "ed934d2759a2ef8431998444e39a523954873a563dbb83b41a3bced133046b9b",
}
"""Checked with the HKDF of `cryptography`."""
VARIABLE, PREVIOUS = "JACKFIELD_ENCRYPTION_KEY", "JACKFIELD_PREVIOUS_ENCRYPTION_KEY"


def of(text: str) -> MasterKey:
    return MasterKey(hashlib.sha256(text.encode()).digest())


def given(directory: Path, **environment: str) -> FileSecrets:
    return FileSecrets(directory, Redactor(), environment)


def put(directory: Path, name: str, key: bytes) -> None:
    """As versions before wrote it."""
    folder = directory / "keys"
    folder.mkdir(mode=0o700, exist_ok=True)
    mark = hashlib.sha256(b"jackfield key" + key).hexdigest()[:8].encode()
    (folder / f"{name}.key").write_bytes(base64.b64encode(key) + b"\n" + mark + b"\n")
    (folder / f"{name}.key").chmod(0o600)


def sealed_before(key: bytes, plain: bytes) -> bytes:
    return b"n" * 12 + AESGCM(key).encrypt(b"n" * 12, plain, None)


@pytest.mark.parametrize(
    ("secret", "salt", "info", "wanted"),
    [
        (
            "0b" * 22,
            "000102030405060708090a0b0c",
            "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            "".join(f"{byte:02x}" for byte in range(0x50)),
            "".join(f"{byte:02x}" for byte in range(0x60, 0xB0)),
            "".join(f"{byte:02x}" for byte in range(0xB0, 0x100)),
            (
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                "cc30c58179ec3e87c14c01d5c1f3434f1d87"
            ),
        ),
        (
            "0b" * 22,
            "",
            "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ],
)
def test_derivation_is_that_of_rfc_5869(secret: str, salt: str, info: str, wanted: str) -> None:
    """Appendix A, the cases with SHA-256."""
    made = hkdf(bytes.fromhex(secret), bytes.fromhex(salt), bytes.fromhex(info), len(wanted) // 2)
    assert made.hex() == wanted


@pytest.mark.parametrize("size", [0, 255 * 32 + 1])
def test_sizes_that_cannot_be_derived_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="1 to 8160 bytes"):
        hkdf(b"k", b"", b"", size)


def test_names_are_fixed() -> None:
    """A change here makes every installation unreadable."""
    key = MasterKey(bytes(range(32)))
    assert {
        "seal": key.sealing.hex(),
        "fingerprint": key.fingerprint,
        "jwt": key.named("jwt", 32).hex(),
        "jwt-hs512": key.named("jwt-hs512", 64).hex(),
        "resume": key.named("resume", 32).hex(),
    } == WANTED
    assert repr(key) == f"MasterKey({key.fingerprint})"


def test_daemons_with_one_master_key_agree(tmp_path: Path) -> None:
    one, other = (given(tmp_path / name, **{VARIABLE: FIRST}) for name in ("a", "b"))
    assert other.open(one.seal(b"value")) == b"value"
    assert one.key("jwt") == other.key("jwt") != one.key("resume")
    assert not (tmp_path / "a" / "keys").exists()
    assert given(tmp_path / "c", **{VARIABLE: SECOND}).key("jwt") != one.key("jwt")


def test_no_key_but_the_master_key_is_kept(tmp_path: Path) -> None:
    secrets = given(tmp_path)
    secrets.seal(b"value")
    secrets.key("jwt")
    secrets.key("oauth2-state")
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["encryption.key"]


@pytest.mark.parametrize("name", ["", "Jwt", "../jwt", "encryption", "encryption-previous", "earlier-0011"])
def test_what_is_no_name_of_a_key_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a key name"):
        given(tmp_path).key(name)


def test_an_installation_of_before_stays_readable(tmp_path: Path) -> None:
    """Its key sealed without a form, an interrupted rotation left another, and names had files."""
    old, older, jwt = b"o" * 32, b"p" * 32, b"j" * 32
    put(tmp_path, "encryption", old)
    put(tmp_path, "encryption-previous", older)
    put(tmp_path, "jwt", jwt)
    secrets = given(tmp_path)
    for key in (old, older):
        sealed = sealed_before(key, b"value")
        assert secrets.open(sealed) == b"value"
        assert not secrets.is_current(sealed)
    assert secrets.is_current(secrets.seal(b"value"))
    assert secrets.key("jwt") == MasterKey(old).named("jwt", 32)
    assert list(secrets.earlier_keys("jwt")) == [MasterKey(older).named("jwt", 32), jwt]
    assert (tmp_path / "keys" / "jwt.key").exists()


def test_a_sealed_value_that_was_changed_does_not_open(tmp_path: Path) -> None:
    secrets = given(tmp_path)
    sealed = secrets.seal(b"value")
    for place in range(len(sealed)):
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(ValueError, match="another key"):
            secrets.open(changed)
    for size in range(len(sealed)):
        with pytest.raises(ValueError, match="another key"):
            secrets.open(sealed[:size])


async def test_the_first_daemon_notes_its_key_and_another_key_is_refused(tmp_path: Path) -> None:
    store, clock = MemoryStore(), SystemClock()
    made = await agree(store, given(tmp_path / "a", **{VARIABLE: FIRST}), clock)
    assert made.fingerprint == of(FIRST).fingerprint
    assert await agree(store, given(tmp_path / "b", **{VARIABLE: FIRST}), clock) == made
    with pytest.raises(ConfigurationError) as told:
        await agree(store, given(tmp_path / "c", **{VARIABLE: SECOND}), clock)
    for part in (VARIABLE, PREVIOUS, made.fingerprint, of(SECOND).fingerprint, "keys rotate"):
        assert part in told.value.message
    assert FIRST not in told.value.message
    assert SECOND not in told.value.message
    with pytest.raises(ConfigurationError, match="There is no master key"):
        await agree(store, given(tmp_path / "d"), clock)
    assert not (tmp_path / "d" / "keys").exists()


async def test_of_daemons_that_start_at_once_one_key_counts(tmp_path: Path) -> None:
    store = MemoryStore()
    each = [given(tmp_path / str(number)) for number in range(4)]
    told = await asyncio.gather(*(agree(store, one, SystemClock()) for one in each), return_exceptions=True)
    assert sum(isinstance(one, KeyRecord) for one in told) == 1
    assert sum(isinstance(one, ConfigurationError) for one in told) == 3


async def test_a_store_of_before_does_not_take_a_key_that_opens_nothing(tmp_path: Path) -> None:
    store = MemoryStore()
    await store.put_credential(Credential("c", "ours", "k", sealed_before(of(FIRST).raw, b"{}"), 1, 1))
    for wrong in (given(tmp_path / "a", **{VARIABLE: SECOND}), given(tmp_path / "b")):
        with pytest.raises(ConfigurationError, match="opens none of the stored credentials"):
            await agree(store, wrong, SystemClock())
    assert await store.fact(FACT) is None
    await agree(store, given(tmp_path / "a", **{VARIABLE: FIRST}), SystemClock())


async def test_both_keys_seal_with_the_one_that_the_store_names(tmp_path: Path) -> None:
    store, clock = MemoryStore(), SystemClock()
    await agree(store, given(tmp_path, **{VARIABLE: FIRST}), clock)
    both = given(tmp_path, **{VARIABLE: SECOND, PREVIOUS: FIRST})
    await agree(store, both, clock)
    assert both.ring.current().fingerprint == of(FIRST).fingerprint
    assert list(both.earlier_keys("jwt")) == [of(SECOND).named("jwt", 32)]


async def test_a_daemon_changes_its_key_with_the_store(tmp_path: Path) -> None:
    store, clock = MemoryStore(), Quick()
    daemon = given(tmp_path)
    found = await agree(store, daemon, clock)
    following = asyncio.create_task(follow(store, daemon, clock, found.fingerprint))
    before = daemon.seal(b"value")
    command = given(tmp_path)
    fresh = command.ring.directory.replace_master()
    command.ring.reload()
    assert daemon.open(command.seal(b"early")) == b"early"
    await store.change_fact(FACT, found.text(), found.replaced_by(fresh.fingerprint, 5).text())
    while daemon.ring.current().fingerprint != fresh.fingerprint:
        await asyncio.sleep(0)
    assert daemon.open(before) == b"value"
    text = await store.fact(FACT)
    assert text
    await store.change_fact(FACT, text, read_record(text).replaced_by(of(SECOND).fingerprint, 6).text())
    with pytest.raises(ConfigurationError, match="is another master key"):
        await following


class Quick(SystemClock):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


def test_a_record_is_read_as_it_was_written() -> None:
    first = KeyRecord("aa", 1)
    second = first.replaced_by("bb", 2)
    assert read_record(second.text()) == second
    assert [each.fingerprint for each in second.replaced_by("aa", 3).earlier] == ["bb"]
    for text in ("", "[]", '{"fingerprint": "aa"}', '{"fingerprint":"a","since":"x","resealing":0,"earlier":[]}'):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            read_record(text)
