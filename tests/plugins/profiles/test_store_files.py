"""The stored file: read without trust, changed without loss."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profile_lab import Lab

from jackfield.api.errors import ConfigurationError, Conflict, NotFound
from jackfield_profiles.storage.files import Damaged, document, parsed, text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SOUND = {
    "alias": "a",
    "agent_id": "echo",
    "provider_id": "acme",
    "endpoint_id": "main",
    "model": "m",
    "metadata": {"profile_home": "/h"},
}


async def test_what_is_missing_and_may_be_is_empty() -> None:
    found = parsed(json.dumps(SOUND).encode())
    assert (found.env, found.args, found.working_dir, found.sandbox) == ({}, (), None, "off")


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"alias": 7}, "alias"),
        ({"model": ""}, "model"),
        ({"agent_id": None}, "agent_id"),
        ({"env": {"A": 1}}, "env.A"),
        ({"env": {"A=B": "x"}}, "env"),
        ({"env": {"A": "x\0y"}}, "env.A"),
        ({"args": "x"}, "args"),
        ({"args": [1]}, "args"),
        ({"working_dir": 5}, "working_dir"),
        ({"metadata": None}, "metadata"),
        ({"metadata": {}}, "profile_home"),
        ({"metadata": {"profile_home": "relative"}}, "profile_home"),
        ({"metadata": {"profile_home": "/h", "sandbox": "maybe"}}, "sandbox"),
    ],
)
def test_damage_names_the_key(change: dict[str, Any], names: str) -> None:
    with pytest.raises(Damaged, match=names):
        parsed(json.dumps({**SOUND, **change}).encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_profile_or_damaged(content: bytes) -> None:
    with pytest.raises(Damaged):
        parsed(content)


@given(st.dictionaries(st.text(min_size=1), json_values, max_size=4), st.integers(0, 2000), st.integers(1, 255))
def test_a_flipped_byte_is_a_profile_or_damaged(extra: dict[str, Any], place: int, flip: int) -> None:
    content = bytearray(text({**SOUND, "extra": extra}))
    content[place % len(content)] ^= flip
    with contextlib.suppress(Damaged):
        assert parsed(bytes(content)).metadata["profile_home"]


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_what_is_unknown_survives_writing(extra: dict[str, Any]) -> None:
    whole = {**extra, **SOUND}
    assert document(text(whole)) == whole


async def test_unknown_keys_survive_a_change_at_every_depth(lab: Lab) -> None:
    huge = 12345678901234567890123456789
    before = lab.store("work", own={"deep": [1, {"x": None}], "huge": huge})
    before["metadata"]["note"] = "mine"
    lab.path("work").write_text(json.dumps(before))
    await lab.changing.change("work", {"model": "small"})
    assert lab.stored("work") == {**before, "model": "small"}


async def test_use_is_noted(lab: Lab) -> None:
    lab.store("work", own=1)
    await lab.profiles.touch("work")
    assert lab.stored("work")["metadata"]["last_used"].endswith("Z")
    assert lab.stored("work")["own"] == 1


async def test_a_changed_file_is_seen(lab: Lab) -> None:
    lab.store("work")
    assert (await lab.profiles.all())[0].model == "large"
    lab.store("work", model="another")
    assert (await lab.profiles.all())[0].model == "another"
    assert (await lab.profiles.find("work")).model == "another"
    lab.path("work").unlink()
    assert not await lab.profiles.all()
    with pytest.raises(NotFound):
        await lab.profiles.find("work")


async def test_unchanged_files_are_not_read_again(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.store("one")
    lab.store("two")
    first = await lab.profiles.all()
    read = []
    monkeypatch.setattr("jackfield_profiles.storage.index.read", read.append)
    assert list(await lab.profiles.all()) == list(first)
    assert not read


DAMAGE = {
    "cut": b'{"alias": "bad"',
    "empty": b"",
    "array": b"[]",
    "not-utf8": b'{"alias": "\xff"}',
    "deep": b"[" * 100_000,
    "other-alias": json.dumps({**SOUND, "alias": "other"}).encode(),
    "large": b" " * (2**20 + 1),
}


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE.keys())
async def test_damaged_file_is_named_and_left_alone(lab: Lab, content: bytes) -> None:
    lab.store("good")
    lab.path("bad").write_bytes(content)
    assert [profile.alias for profile in await lab.profiles.all()] == ["good"]
    assert [str(lab.path("bad")) in warning for warning in lab.profiles.warnings()] == [True]
    for attempt in (
        lambda: lab.profiles.find("bad"),
        lambda: lab.changing.change("bad", {"model": "m"}),
        lambda: lab.profiles.touch("bad"),
        lambda: lab.create("bad"),
        lambda: lab.deleting.delete("bad", purge=False, force=False),
    ):
        with pytest.raises(Conflict) as caught:
            await attempt()
        assert "bad" in caught.value.message
    assert lab.path("bad").read_bytes() == content


async def test_a_repaired_file_is_a_profile_again(lab: Lab) -> None:
    lab.path("work").parent.mkdir(parents=True)
    lab.path("work").write_text("{")
    assert not await lab.profiles.all()
    lab.store("work")
    assert [profile.alias for profile in await lab.profiles.all()] == ["work"]
    assert not lab.profiles.warnings()


async def test_links_and_other_things_in_the_directory_are_not_followed(lab: Lab) -> None:
    lab.store("outside")
    outside = lab.root / "outside.json"
    lab.path("outside").rename(outside)
    lab.path("link").symlink_to(outside)
    lab.path("folder").mkdir()
    os.mkfifo(lab.path("pipe"))
    lab.path("no alias").write_text("{}")
    assert not await asyncio.wait_for(lab.profiles.all(), 10)
    assert len(lab.profiles.warnings()) == 4
    for alias in ("link", "folder", "pipe"):
        with pytest.raises(Conflict):
            await lab.create(alias)
    assert outside.exists()
    assert lab.path("link").is_symlink()


@pytest.mark.parametrize("alias", ["../config", "..", "a/b", "", "x\0y", "a.b", "a\n"])
async def test_what_is_no_alias_is_not_found(lab: Lab, alias: str) -> None:
    with pytest.raises(NotFound):
        await lab.profiles.find(alias)


async def test_modes_are_private_whatever_the_umask(lab: Lab) -> None:
    old = os.umask(0)
    try:
        await lab.create("work")
    finally:
        os.umask(old)
    assert stat.S_IMODE(lab.path("work").stat().st_mode) == 0o600
    for directory in (lab.directory, lab.config / "keys", lab.config / "keys" / "profiles", lab.homes / "work"):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert not [path for path in lab.directory.iterdir() if path.name.startswith(".")]


async def test_changes_of_one_profile_wait_for_each_other(lab: Lab) -> None:
    lab.store("work", count=0)
    profiles = lab.profiles

    async def more() -> None:
        async with profiles.changing("work"):
            seen = lab.stored("work")["count"]
            await asyncio.sleep(0)
            await profiles.rewrite("work", lambda found: found.update(count=seen + 1))

    await asyncio.gather(*(more() for _ in range(20)))
    assert lab.stored("work")["count"] == 20


async def test_a_lock_of_another_process_is_waited_for_and_then_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    import subprocess
    import sys

    lab = Lab(tmp_path_factory.mktemp("lab"), lock_timeout=0.1)
    lab.store("work")
    code = (
        "import fcntl, os, sys; f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600); fcntl.flock(f, 2);"
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-IS", "-c", code, str(lab.directory / ".work.lock")]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Conflict, match="another process"):
            await lab.changing.change("work", {"model": "small"})
    finally:
        holder.communicate()
    assert (await lab.changing.change("work", {"model": "small"})).profile.model == "small"


async def test_a_change_of_this_process_is_waited_for_no_longer_than_the_limit(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lab = Lab(tmp_path_factory.mktemp("lab"), lock_timeout=0.05)
    lab.store("work")
    async with lab.profiles.changing("work"):
        with pytest.raises(Conflict, match="is being changed"):
            await lab.changing.change("work", {"model": "small"})
    assert (await lab.changing.change("work", {"model": "small"})).profile.model == "small"


async def test_who_goes_away_while_taking_the_lock_does_not_keep_it(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    from jackfield_profiles.storage import locks as store_locks

    lab.store("work")
    begun, go_on, taken = threading.Event(), threading.Event(), store_locks._taken

    def slow(path: Path) -> int | None:
        begun.set()
        go_on.wait(10)
        return taken(path)

    monkeypatch.setattr(store_locks, "_taken", slow)
    leaving = asyncio.ensure_future(lab.changing.change("work", {"model": "small"}))
    await asyncio.to_thread(begun.wait, 10)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    go_on.set()
    assert (await lab.changing.change("work", {"model": "small"})).profile.model == "small"


@pytest.mark.parametrize("what", ["link", "directory"])
async def test_a_lock_that_is_no_file_is_named(lab: Lab, what: str) -> None:
    lab.store("work")
    place = lab.directory / ".work.lock"
    if what == "link":
        place.symlink_to("/etc/passwd")
    else:
        place.mkdir()
    with pytest.raises(ConfigurationError, match=r"\.work\.lock"):
        await lab.changing.change("work", {"model": "small"})


async def test_looking_while_files_come_and_go(lab: Lab) -> None:
    lab.store("stays")
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            lab.store("comes")
            lab.path("comes").unlink(missing_ok=True)

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(100):
            assert "stays" in [profile.alias for profile in await lab.profiles.all()]
    finally:
        stop.set()
        thread.join()
