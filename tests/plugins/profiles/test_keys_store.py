"""Keys: in the keyring where one answers, else sealed, and never anywhere else."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backends.fail
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError
from profile_lab import ACME, KEY, Lab

from jackfield.api.errors import InvalidInput
from jackfield_profiles.keys.files import KeyUnreadable
from jackfield_profiles.keys.store import checked_key
from jackfield_profiles.keys.system_keyring import MOST, KeyringSilent


class MemoryKeyring(KeyringBackend):
    """locked: refuses; hang: does not answer until the event is set."""

    priority = 5  # type: ignore[assignment]  # a class property in the base

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False
        self.hang: threading.Event | None = None

    def _answer(self) -> None:
        if self.hang is not None:
            self.hang.wait(30)
        if self.locked:
            raise KeyringLocked(f"locked; the key was {KEY}")

    def get_password(self, service: str, username: str) -> str | None:
        self._answer()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._answer()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._answer()
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not there")
        del self.kept[service, username]


class SystemLike(MemoryKeyring):
    """Counts as an operating system's."""


SystemLike.__module__ = "keyring.backends.SecretService"


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemLike]:
    made = SystemLike()
    monkeypatch.setattr(keyring, "get_keyring", lambda: made)
    yield made
    if made.hang is not None:
        made.hang.set()


@pytest.fixture
def sealing(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def auto(tmp_path: Path, choice: str = "auto") -> Lab:
    return Lab(tmp_path, key_store=choice, keyring_timeout=0.05)


def holds_key(lab: Lab) -> list[str]:
    return [name for name, content in lab.everything().items() if KEY.encode() in content]


async def test_sealed_key_comes_back_and_is_redacted(lab: Lab) -> None:
    profile = await lab.create("work")
    assert await lab.keys.key(profile) == KEY
    assert KEY in lab.context.secrets.redacted  # type: ignore[attr-defined]
    assert not holds_key(lab)


async def test_key_goes_with_its_profile(lab: Lab) -> None:
    await lab.create("work")
    await lab.deleting.delete("work", purge=False, force=False)
    assert await lab.keys.own("work") is None
    assert not list((lab.config / "keys" / "profiles").iterdir())


async def test_a_moved_key_opens_for_nobody_else(lab: Lab) -> None:
    await lab.create("one")
    await lab.create("two", api_key="another-key-entirely")
    folder = lab.config / "keys" / "profiles"
    (folder / "one.sealed").replace(folder / "two.sealed")
    with pytest.raises(KeyUnreadable, match="two"):
        await lab.keys.own("two")
    await lab.changing.change("two", {"api_key": "set-again-123"})
    assert await lab.keys.own("two") == "set-again-123"


@pytest.mark.parametrize("content", [b"", b"garbage", b"sealed:}{", b"keyring"])
async def test_a_damaged_key_is_named(lab: Lab, content: bytes) -> None:
    await lab.create("work")
    (lab.config / "keys" / "profiles" / "work.sealed").write_bytes(content)
    with pytest.raises(KeyUnreadable, match="work"):
        await lab.keys.own("work")


async def test_environment_counts_after_the_own_key(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_TEST_KEY", "from-the-environment")
    without = await lab.create("without", api_key=None)
    own = await lab.create("own")
    assert await lab.keys.key(without) == "from-the-environment"
    assert await lab.keys.key(own) == KEY
    assert await lab.keys.provider_key("acme") == "from-the-environment"
    await lab.keys.put_provider_key("acme", "of-the-provider")
    assert await lab.keys.provider_key("acme") == "of-the-provider"
    assert await lab.keys.key(without) == "from-the-environment"


async def test_keyring_is_used_where_it_answers(tmp_path: Path, backend: SystemLike) -> None:
    lab = auto(tmp_path)
    await lab.keys.put("work", KEY)
    assert list(backend.kept.values()) == [KEY]
    assert await lab.keys.own("work") == KEY
    assert not holds_key(lab)
    await lab.keys.remove("work")
    assert not backend.kept
    assert await lab.keys.own("work") is None


async def test_two_directories_share_no_keys(tmp_path: Path, backend: SystemLike) -> None:
    one, two = auto(tmp_path / "one"), auto(tmp_path / "two")
    await one.keys.put("work", "key-of-one")
    await two.keys.put("work", "key-of-two")
    assert await one.keys.own("work") == "key-of-one"


async def test_no_real_keyring_means_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for none in (keyring.backends.fail.Keyring(), MemoryKeyring()):
        monkeypatch.setattr(keyring, "get_keyring", lambda none=none: none)
        lab = auto(tmp_path)
        assert "files" in await lab.keys.place()
        await lab.keys.put("work", KEY)
        assert await lab.keys.own("work") == KEY


async def test_a_keyring_that_hangs_or_is_locked_means_files(tmp_path: Path, backend: SystemLike) -> None:
    backend.hang = threading.Event()
    lab = auto(tmp_path)
    await asyncio.wait_for(lab.keys.put("work", KEY), 10)
    assert await lab.keys.own("work") == KEY
    backend.hang.set()
    backend.hang, backend.locked = None, True
    again = auto(tmp_path / "again")
    await again.keys.put("work", KEY)
    assert await again.keys.own("work") == KEY
    assert not backend.kept


async def test_a_keyring_that_hangs_takes_few_threads(tmp_path: Path, backend: SystemLike) -> None:
    lab = auto(tmp_path)
    await lab.keys.put("work", KEY)
    backend.hang = threading.Event()
    asked = [lab.keys.own("work") for _ in range(40)]
    assert all(isinstance(found, KeyringSilent) for found in await asyncio.gather(*asked, return_exceptions=True))
    assert sum(thread.name == "keyring" for thread in threading.enumerate()) <= MOST
    backend.hang.set()

    async def answered() -> str | None:
        while True:
            with contextlib.suppress(KeyringSilent):
                return await lab.keys.own("work")

    assert await asyncio.wait_for(answered(), 10) == KEY


async def test_a_keyring_that_is_asked_for_must_answer(tmp_path: Path, backend: SystemLike) -> None:
    lab = auto(tmp_path, "keyring")
    backend.locked = True
    with pytest.raises(KeyringSilent) as caught:
        await lab.create("work")
    assert KEY not in str(caught.value)
    assert not lab.path("work").exists()
    assert not (lab.homes / "work").exists()


async def test_a_refused_change_keeps_the_old_key(tmp_path: Path, backend: SystemLike) -> None:
    lab = auto(tmp_path, "keyring")
    await lab.create("work")
    backend.locked = True
    with pytest.raises(KeyringSilent):
        await lab.keys.put("work", "new-key")
    backend.locked = False
    assert await lab.keys.own("work") == KEY


async def test_keys_without_a_profile_are_swept(lab: Lab) -> None:
    await lab.create("stays")
    await lab.keys.put("gone", KEY)
    lab.path("damaged").write_text("{")
    await lab.keys.put("damaged", KEY)
    assert await lab.deleting.sweep() == 1
    assert await lab.keys.aliases() == ["damaged", "stays"]


async def test_a_key_that_cannot_be_removed_is_told_and_swept_later(tmp_path: Path, backend: SystemLike) -> None:
    lab = auto(tmp_path)
    await lab.create("work")
    backend.locked = True
    left = await lab.deleting.delete("work", purge=False, force=False)
    assert "key" in left[0]
    assert not lab.path("work").exists()
    backend.locked = False
    assert await lab.deleting.sweep() == 1
    assert not backend.kept


@pytest.mark.parametrize("bad", ["{not JSON", "a\0b", "schlüssel", "x" * 8193])
def test_what_cannot_be_a_key_is_refused_without_being_quoted(bad: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked_key(bad)
    assert bad not in str(caught.value.details)


def test_white_space_of_copying_is_taken_off() -> None:
    assert checked_key(f"  {KEY}\r\n") == KEY


def test_several_keys_and_a_key_file_of_several_lines_become_one_line() -> None:
    assert checked_key("a\n b\r\n") == "a b"
    assert checked_key('{\n "type": "service_account"\n}\n') == '{"type":"service_account"}'


def test_a_provider_needs_a_key() -> None:
    assert ACME.needs_key
