"""Sync, freshness, and what refuses a sync."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from registry_lab import COMMITS, Lab, digest, files_of
from sync_lab import DAY, FOUR, ONE, THREE, TWO

from jackfield.api.errors import ConfigurationError, Conflict, JackfieldError, UpstreamFailed
from jackfield.api.registry import RegistryStatus
from jackfield_registry.sources.directory import FileSource


async def test_before_the_first_sync_there_is_nothing(lab: Lab) -> None:
    status = await lab.service.status()
    assert status == RegistryStatus("stable", None, None, False)
    assert not lab.root.exists()


async def test_first_sync(lab: Lab) -> None:
    status = await lab.service.sync()
    counts = (status.agents, status.providers, status.scripts)
    assert (status.commit, status.cached, counts, status.updated) == (ONE, True, (1, 1, 1), True)
    assert status.artifacts_downloaded == 4
    assert status.last_sync == "2026-01-01T00:00:00.000Z"
    assert lab.label == "one"
    assert (lab.root / "current").readlink() == Path("commits") / ONE
    assert {"channel": "stable", "commit": ONE, "last_sync": status.last_sync, "pinned_ref": None}.items() <= (
        lab.lock.items()
    )
    assert lab.events() == ["sync_started", "sync_completed"]
    assert lab.leftovers() == []


async def test_everything_is_private(lab: Lab) -> None:
    old = os.umask(0)
    try:
        await lab.service.sync()
    finally:
        os.umask(old)
    found = [path for path in [lab.root, *lab.root.rglob("*")] if not path.is_symlink()]
    assert all(stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600) for path in found)


async def test_without_a_url_a_sync_is_a_conflict(lab: Lab) -> None:
    with pytest.raises(Conflict, match=r"registry\.url"):
        await lab.configure(url="").sync()


@pytest.mark.parametrize(
    "url", ["relative/path", "ftp://host/x", "file://host/x", "http://example.org/", "https://u:p@h"]
)
async def test_a_url_that_cannot_be_used_is_named(lab: Lab, url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"registry\.") as caught:
        await lab.configure(url=url).sync()
    assert "u:p" not in caught.value.message


async def test_the_channel_is_put_into_the_url(lab: Lab) -> None:
    lab.source.publish(TWO, "two", channel="nightly")
    lab.source.folder.rename(lab.source.folder.with_name("nightly"))
    service = lab.configure(url=f"{lab.source.folder.parent.as_uri()}/{{channel}}/", channel="nightly")
    assert (await service.sync()).commit == TWO


async def test_fresh_content_is_not_fetched_again(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    await lab.clock.advance(DAY - 1)
    status = await lab.service.sync()
    assert (status.commit, status.updated, lab.label) == (ONE, False, "one")
    await lab.clock.advance(1)
    assert (await lab.service.sync()).commit == TWO


async def test_a_clock_that_was_put_back_makes_nothing_fresh(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    lab.clock.set_wall(-DAY)
    assert (await lab.service.sync()).commit == TWO


async def test_force_fetches(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    status = await lab.service.sync(force=True)
    assert (status.commit, lab.label) == (TWO, "two")
    assert status.artifacts_downloaded == 2, "what did not change is taken from the disk"


async def test_another_channel_or_source_is_not_fresh(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two", channel="nightly")
    assert (await lab.configure(channel="nightly").sync()).commit == TWO


async def test_a_sync_of_what_is_there_changes_nothing_but_the_time(lab: Lab) -> None:
    await lab.service.sync()
    await lab.clock.advance(DAY)
    status = await lab.service.sync()
    assert (status.updated, status.artifacts_downloaded) == (False, 0)
    assert status.last_sync == "2026-01-02T00:00:00.000Z"
    assert lab.service.counts == {"updated": 1, "unchanged": 1, "failed": 0}


async def test_a_commit_that_is_published_again_is_taken(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(ONE, "again")
    status = await lab.service.sync(force=True)
    assert (status.commit, lab.label) == (ONE, "again")


async def refused(lab: Lab, kind: type[JackfieldError] = UpstreamFailed, *, force: bool = True) -> str:
    """The message, after looking that the first commit is still served."""
    before = lab.lock
    with pytest.raises(kind) as caught:
        await lab.service.sync(force=force)
    assert lab.label == "one"
    assert lab.lock == before
    assert lab.leftovers() == []
    assert [path.name for path in (lab.root / "commits").iterdir()] == [ONE]
    return caught.value.message


@pytest.mark.parametrize("path", files_of(""))
async def test_a_wrong_checksum_keeps_the_old(lab: Lab, path: str) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two", files={name: data + b"\n" for name, data in files_of("two").items()})
    (lab.source.folder / TWO / path).write_bytes(b"changed on the way")
    assert path in await refused(lab)
    assert lab.events()[-1] == "sync_failed"


async def test_a_missing_file_keeps_the_old(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")
    (lab.source.folder / TWO / "scripts" / "three.rhai").unlink()
    assert "three.rhai" in await refused(lab)


@pytest.mark.parametrize(
    ("path", "content", "says"),
    [
        ("agents/one.toml", b"id = ", "not valid TOML"),
        ("agents/one.toml", b'id = "one"\n', "binary"),
        ("agents/one.toml", b"\xff", "not UTF-8"),
        ("providers/two.toml", b'id = "../two"\n', "id"),
        ("scripts/three.rhai", b"\xff\xfe", "not UTF-8"),
        ("models/catalog.json", b"[]", "object"),
        ("agents/one.toml", b'id = "one"\n#' + b"x" * 2**20, "bytes"),
    ],
)
async def test_a_broken_file_refuses_the_sync(lab: Lab, path: str, content: bytes, says: str) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two", files={**files_of("two"), path: content})
    message = await refused(lab)
    assert says in message
    assert path in message


async def test_limits(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two", files={"models/big.json": b'{"x": "' + b"x" * 5000 + b'"}'})
    for setting in ("artifact_limit", "total_limit"):
        lab.configure(**{setting: 2000})
        assert f"registry.{setting}" in await refused(lab)
    lab.source.change_index(padding="x" * 5000)
    lab.configure(index_limit=2000)
    assert "registry.index_limit" in await refused(lab)


async def test_an_older_state_is_refused_unless_forced(lab: Lab) -> None:
    lab.source.publish(ONE, "one", sequence=5)
    await lab.service.sync()
    for sequence in (4, None):
        lab.source.publish(TWO, "two", **({} if sequence is None else {"sequence": sequence}))
        await lab.clock.advance(DAY)
        assert "sequence" in await refused(lab, Conflict, force=False)
    assert (await lab.service.sync(force=True)).commit == TWO
    lab.source.publish(THREE, "three", sequence=1)
    await lab.clock.advance(DAY)
    assert (await lab.service.sync()).commit == THREE, "the forced step back is the new beginning"


async def test_the_index_of_another_channel_is_refused(lab: Lab) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two", channel="nightly")
    assert "nightly" in await refused(lab)


async def test_a_full_disk_keeps_the_old(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("jackfield_registry.fetching.os.fsync", full)
        assert "No space left" in await refused(lab, JackfieldError)


async def test_a_full_disk_is_not_told_of_the_source(tmp_path: Path) -> None:
    async def full(block: bytes) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a.toml").write_bytes(b"x")
    with pytest.raises(OSError, match="No space left"):
        await FileSource(tmp_path).fetch("a.toml", full)


async def test_a_damaged_lock_is_named_and_left_until_a_sync(lab: Lab) -> None:
    await lab.service.sync()
    path = lab.root / "registry.lock"
    path.write_bytes(b'{"channel": "stable", "last_sync": 7')
    assert "registry.lock is damaged" in (await lab.service.damage())[0]
    status = await lab.service.status()
    assert (status.commit, status.last_sync, status.cached) == (ONE, None, True)
    with pytest.raises(Conflict):
        await lab.service.pin(ONE)
    with pytest.raises(Conflict):
        await lab.service.sync(unattended=True)
    assert path.read_bytes().endswith(b"7")
    await lab.service.sync()
    assert lab.lock["commit"] == ONE
    assert await lab.service.damage() == []


@pytest.mark.parametrize(
    "text", [b"[]", b'{"last_sync": "noon"}', b'{"sequence": "1"}', b'{"pinned_ref": 7}', b"\x00\xff", b""]
)
async def test_what_else_a_lock_may_hold(lab: Lab, text: bytes) -> None:
    await lab.service.sync()
    (lab.root / "registry.lock").write_bytes(text)
    assert len(await lab.service.damage()) == 1


async def test_damaged_content_is_found_and_fetched_again(lab: Lab) -> None:
    await lab.service.sync()
    for damage in (b"", b"{}", None):
        path = lab.root / "current" / "agents" / "one.toml"
        path.unlink() if damage is None else path.write_bytes(damage)
        look = lab.service.look()
        assert look.folder is not None
        assert "agents/one.toml" in lab.service.problems(look.folder)[0]
        status = await lab.service.sync(force=True)
        assert (status.commit, status.updated, lab.label) == (ONE, True, "one")


async def test_a_damaged_index_is_named(lab: Lab) -> None:
    await lab.service.sync()
    (lab.root / "current" / "registry.json").write_bytes(b"{")
    assert "sync with force" in (await lab.service.damage())[0]
    assert (await lab.service.status()).agents == 0
    await lab.service.sync(force=True)
    assert await lab.service.damage() == []


async def test_a_file_that_nobody_published_is_found(lab: Lab) -> None:
    await lab.service.sync()
    (lab.root / "current" / "agents" / "evil.toml").write_bytes(b'id = "evil"\nbinary = "x"\n')
    (lab.root / "current" / "agents" / "link.toml").symlink_to("/etc/passwd")
    found = lab.service.problems((lab.root / "current").resolve())
    assert [line.rpartition("/")[2] for line in found] == ["evil.toml: not in the index", "link.toml: not in the index"]


async def test_the_last_commits_are_kept(lab: Lab) -> None:
    lab.settings["keep"] = 2
    lab.configure()
    for commit, label in zip(COMMITS, ("one", "two", "three", "four"), strict=True):
        lab.source.publish(commit, label)
        await lab.service.sync(force=True)
        if commit == ONE:
            os.utime((lab.root / "current").resolve(), (1, 1))
    assert sorted(path.name for path in (lab.root / "commits").iterdir()) == [THREE, FOUR]


async def test_what_a_crash_has_left_is_cleared_away(lab: Lab) -> None:
    await lab.service.sync()
    (lab.root / ".staging-0").mkdir()
    (lab.root / ".staging-0" / "x").write_text("x")
    (lab.root / ".link-0").symlink_to("nowhere")
    await lab.service.sync(force=True)
    assert lab.leftovers() == []


async def test_prices_come_and_go_with_the_commit(lab: Lab) -> None:
    prices = lab.root / "litellm-pricing.json"
    lab.source.publish(ONE, "one", prices=b'{"m": {"input_cost_per_token": 1}}')
    await lab.service.sync()
    assert json.loads(prices.read_bytes()) == {"m": {"input_cost_per_token": 1}}
    lab.source.publish(TWO, "two", prices=b'{"m": {"input_cost_per_token": 2}}')
    await lab.service.sync(force=True)
    assert json.loads(prices.read_bytes())["m"]["input_cost_per_token"] == 2
    lab.source.publish(THREE, "three")
    await lab.service.sync(force=True)
    assert not prices.exists()


async def test_the_operators_own_prices_are_left_alone(lab: Lab) -> None:
    lab.root.mkdir()
    prices = lab.root / "litellm-pricing.json"
    prices.write_bytes(b"{}")
    lab.source.publish(ONE, "one", prices=b'{"m": {}}')
    await lab.service.sync()
    assert prices.read_bytes() == b"{}"
    assert lab.service.content.foreign_prices() == prices


@pytest.mark.parametrize("prices", [b"[]", b'{"m": 1}', b"{"])
async def test_broken_prices_refuse_the_sync(lab: Lab, prices: bytes) -> None:
    await lab.service.sync()
    lab.source.publish(TWO, "two", prices=prices)
    assert "prices.json" in await refused(lab)


@pytest.mark.parametrize("name", ["registry.json", "agents/one.toml"])
async def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(lab: Lab, name: str) -> None:
    await lab.service.sync()
    place = (lab.root / "current").resolve() / name
    place.unlink()
    os.mkfifo(place)
    assert lab.service.problems(place.parents[name.count("/")])
    assert (await lab.service.sync(force=True)).updated
    assert lab.label == "one"


def test_settings_have_their_names_in_the_environment() -> None:
    from jackfield.core.settings import keys
    from jackfield_registry.settings import RegistrySettings

    names = {key.environment for key in keys("registry", RegistrySettings)}
    assert {"JACKFIELD_REGISTRY_URL", "JACKFIELD_REGISTRY_CHANNEL"} <= names


def test_digest_helper_agrees_with_the_plugin(tmp_path: Path) -> None:
    from jackfield_registry.synced.content import digest as of_file

    (tmp_path / "x").write_bytes(b"abc")
    assert of_file(tmp_path / "x") == digest(b"abc")


async def test_an_offer_is_what_a_sync_would_bring_and_brings_nothing(lab: Lab) -> None:
    first = await lab.service.offer(force=False)
    assert (first.before, first.commit, len(first.added), first.changed) == (None, ONE, 4, [])
    assert not lab.root.exists()
    await lab.service.sync()
    files = {**files_of("one"), "scripts/three.rhai": b"#{}", "scripts/four.rhai": b"#{}"}
    del files["models/catalog.json"]
    lab.source.publish(TWO, "two", files=files)
    before = {path: path.lstat().st_mtime_ns for path in lab.root.rglob("*")}
    fresh = await lab.service.offer(force=False)
    assert (fresh.before, fresh.commit, fresh.added) == (ONE, ONE, []), "a sync would not look"
    offer = await lab.service.offer(force=True)
    assert (offer.before, offer.commit) == (ONE, TWO)
    assert (offer.added, offer.changed, offer.removed) == (
        ["scripts/four.rhai"], ["scripts/three.rhai"], ["models/catalog.json"]
    )  # fmt: skip
    assert {path: path.lstat().st_mtime_ns for path in lab.root.rglob("*")} == before
    await lab.service.pin(TWO)
    assert (await lab.service.offer(force=False)).commit == TWO
    assert (await lab.service.status()).commit == ONE
