"""Manifests in three layers: whose counts, what happens when files change, break, or cannot be read."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import model_validator

from jackfield.api.manifests import Manifest, ManifestKind, ManifestLibraries
from jackfield.core import manifests
from jackfield.core.manifests import LARGEST, FileLayers, KindLibrary
from jackfield.core.packaged import PackagedDirectory

from .conftest import FakePlugin, MakeKernel, a_plugin

LONG_AGO = 1_000_000_000_000_000_000
"""An mtime in ns: a file of that age is settled."""


class Thing(Manifest):
    size: int = 0

    @model_validator(mode="after")
    def _stumbles(self) -> Thing:
        if self.size == 666:
            raise RuntimeError("the model's own mistake")
        return self


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    made = tmp_path / "shipped"
    made.mkdir()
    return made


@pytest.fixture
def config(tmp_path: Path) -> Path:
    made = tmp_path / "config"
    made.mkdir()
    return made


@pytest.fixture
def library(config: Path, shipped: Path) -> KindLibrary[Thing]:
    return KindLibrary(ManifestKind("things", Thing, shipped), config)


def write(directory: Path, name: str, text: str, mtime_ns: int | None = None) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.toml"
    path.write_text(text)
    if mtime_ns is not None:
        os.utime(path, ns=(mtime_ns, mtime_ns))
    return path


def thing(directory: Path, name: str, size: int = 0, mtime_ns: int | None = None) -> Path:
    return write(directory, name, f'id = "{name}"\nsize = {size}\n', mtime_ns)


def sizes(library: KindLibrary[Thing]) -> dict[str, int]:
    return {name: found.size for name, found in library.look().items()}


# ------------------------------------------------------------------------------------------------------------- layers


def test_the_user_counts_before_the_registry_and_that_before_what_is_shipped(
    library: KindLibrary[Thing], config: Path, shipped: Path
) -> None:
    commit = config / "registry" / "c1"
    thing(shipped, "one", 1)
    assert sizes(library) == {"one": 1}
    thing(commit / "things", "one", 2)
    (config / "registry" / "current").symlink_to("c1")
    assert sizes(library) == {"one": 2}
    user = thing(config / "things.d", "one", 3)
    assert sizes(library) == {"one": 3}
    user.unlink()
    (config / "registry" / "current").unlink()
    assert sizes(library) == {"one": 1}


def test_a_flip_of_the_registry_link_is_seen_at_once(library: KindLibrary[Thing], config: Path) -> None:
    registry = config / "registry"
    for commit, size in (("c1", 1), ("c2", 2)):
        thing(registry / commit / "things", "one", size, LONG_AGO)
        thing(registry / commit / "things", f"only-{commit}", size, LONG_AGO)
    (registry / "current").symlink_to("c1")
    assert sizes(library) == {"one": 1, "only-c1": 1}
    (registry / "next").symlink_to("c2")
    (registry / "next").replace(registry / "current")
    assert sizes(library) == {"one": 2, "only-c2": 2}


def test_manifests_are_sorted_by_id(library: KindLibrary[Thing], config: Path, shipped: Path) -> None:
    thing(shipped, "b")
    thing(config / "things.d", "c")
    thing(config / "things.d", "a")
    assert list(library.look()) == ["a", "b", "c"]


def test_a_broken_file_does_not_hide_the_one_below(library: KindLibrary[Thing], config: Path, shipped: Path) -> None:
    thing(shipped, "one", 1)
    write(config / "things.d", "one", "id = ")
    assert sizes(library) == {"one": 1}
    assert len(library.warnings()) == 1


# ------------------------------------------------------------------------------------------------------------ changes


def test_a_new_a_changed_and_a_removed_file_are_seen(library: KindLibrary[Thing], config: Path) -> None:
    assert sizes(library) == {}
    path = thing(config / "things.d", "one", 1)
    assert sizes(library) == {"one": 1}
    thing(config / "things.d", "one", 2)
    assert sizes(library) == {"one": 2}
    path.unlink()
    assert sizes(library) == {}


def test_a_file_replaced_by_one_of_the_same_age_and_size_is_seen(library: KindLibrary[Thing], config: Path) -> None:
    thing(config / "things.d", "one", 1, LONG_AGO)
    assert sizes(library) == {"one": 1}
    other = thing(config, "other", 2, LONG_AGO)
    other.write_text(other.read_text().replace("other", "one"))
    padded = other.read_text().ljust((config / "things.d" / "one.toml").stat().st_size)
    other.write_text(padded)
    os.utime(other, ns=(LONG_AGO, LONG_AGO))
    other.replace(config / "things.d" / "one.toml")
    assert sizes(library) == {"one": 2}


def test_a_file_written_in_place_twice_within_one_tick_is_seen(library: KindLibrary[Thing], config: Path) -> None:
    now = time.time_ns()
    path = thing(config / "things.d", "one", 1, now)
    before = path.stat()
    assert sizes(library) == {"one": 1}
    with path.open("r+") as file:
        file.write('id = "one"\nsize = 2\n')
    os.utime(path, ns=(now, now))
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ino, before.st_size) == (after.st_mtime_ns, after.st_ino, after.st_size)
    assert sizes(library) == {"one": 2}


def test_a_file_replaced_between_the_look_and_the_reading_is_not_lost(
    library: KindLibrary[Thing], config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing(config / "things.d", "one", 1, LONG_AGO)
    real = manifests._content

    def content(path: str) -> bytes:
        found = real(path)
        if b"size = 1" in found:
            thing(config / "things.d", "one", 2, LONG_AGO + 1)
        return found

    monkeypatch.setattr(manifests, "_content", content)
    assert sizes(library) == {"one": 1}
    assert sizes(library) == {"one": 2}


def test_settled_files_are_read_once(
    library: KindLibrary[Thing], config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        thing(config / "things.d", f"t{number}", number, LONG_AGO)
    first = library.look()
    monkeypatch.setattr(manifests, "_content", lambda path: pytest.fail(f"{path} was read again"))
    assert library.look() is first


def test_a_manifest_that_is_touched_only_stays_the_same_object(library: KindLibrary[Thing], config: Path) -> None:
    path = thing(config / "things.d", "one", 1, LONG_AGO)
    first = library.look()["one"]
    os.utime(path, ns=(LONG_AGO + 5, LONG_AGO + 5))
    assert library.look()["one"] is first


# ------------------------------------------------------------------------------------------------------------- damage


def test_the_last_good_content_stays_and_the_file_is_named(library: KindLibrary[Thing], config: Path) -> None:
    path = thing(config / "things.d", "one", 1)
    assert sizes(library) == {"one": 1}
    path.write_text('id = "one"\nsize = "large"\n')
    assert sizes(library) == {"one": 1}
    (warning,) = library.warnings()
    assert str(path) in warning
    assert "size" in warning
    assert "last good content" in warning
    path.write_text('id = "one"\nsize = 4\n')
    assert sizes(library) == {"one": 4}
    assert library.warnings() == []


def test_the_warning_about_a_removed_file_goes(library: KindLibrary[Thing], config: Path) -> None:
    path = write(config / "things.d", "bad", "= = =")
    library.look()
    assert "it is left out until the file is mended" in library.warnings()[0]
    path.unlink()
    library.look()
    assert library.warnings() == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b'id = "cut', "bad.toml"),
        (b"name = 'no id'\n", "id"),
        (b"id = 7\n", "id"),
        (b"id = '../up'\n", "id"),
        (b"id = 'x'\nsize = 666\n", "the model's own mistake"),
        (b"\0\0\0", "bad.toml"),
        (b"id = '\xff'", "not UTF-8"),
        (b"", "id"),
        (b"a = " + b"[" * 20_000, "bad.toml"),
        (b"a = " + b"9" * 5000, "bad.toml"),
        (b"#" * (LARGEST + 1), f"larger than {LARGEST} bytes"),
    ],
    ids=["cut", "no id", "type", "path", "model", "nul", "latin", "empty", "deep", "digits", "large"],
)
def test_a_broken_file_is_named_with_what_is_wrong(
    library: KindLibrary[Thing], config: Path, text: bytes, word: str
) -> None:
    thing(config / "things.d", "good", 1)
    (config / "things.d" / "bad.toml").write_bytes(text)
    assert sizes(library) == {"good": 1}
    (warning,) = library.warnings()
    assert "bad.toml" in warning
    assert word in warning


def test_a_byte_order_mark_does_no_harm(library: KindLibrary[Thing], config: Path) -> None:
    (config / "things.d").mkdir()
    (config / "things.d" / "one.toml").write_bytes(b"\xef\xbb\xbfid = 'one'\n")
    assert sizes(library) == {"one": 0}


@pytest.mark.parametrize("kind", ["directory", "pipe", "dangling link"])
def test_what_is_no_file_is_named_and_does_not_block(library: KindLibrary[Thing], config: Path, kind: str) -> None:
    thing(config / "things.d", "good", 1)
    path = config / "things.d" / "odd.toml"
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere.toml")
    for _ in range(2):
        assert sizes(library) == {"good": 1}
        assert "odd.toml" in library.warnings()[0]


def test_files_of_editors_are_not_looked_at(library: KindLibrary[Thing], config: Path) -> None:
    thing(config / "things.d", "good", 1)
    (config / "things.d" / ".#good.toml").symlink_to("someone@somewhere.1:2")
    (config / "things.d" / "good.toml~").write_text("= =")
    assert sizes(library) == {"good": 1}
    assert library.warnings() == []


def test_a_second_file_with_an_id_of_the_same_layer_is_named(
    library: KindLibrary[Thing], config: Path, shipped: Path
) -> None:
    write(config / "things.d", "a", "id = 'one'\nsize = 1\n")
    write(config / "things.d", "b", "id = 'one'\nsize = 2\n")
    write(shipped, "one", "id = 'one'\nsize = 3\n")
    assert sizes(library) == {"one": 1}
    (warning,) = library.warnings()
    assert "b.toml" in warning
    assert "a.toml" in warning


def test_an_unreadable_file_is_tried_again_though_it_looks_the_same(
    library: KindLibrary[Thing], config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing(config / "things.d", "one", 1, LONG_AGO)

    def refuse(path: str) -> bytes:
        raise ValueError("cannot be read (Too many open files)")

    with monkeypatch.context() as patch:
        patch.setattr(manifests, "_content", refuse)
        assert sizes(library) == {}
        assert "Too many open files" in library.warnings()[0]
    assert sizes(library) == {"one": 1}
    assert library.warnings() == []


def test_what_an_unreadable_directory_held_stays(
    library: KindLibrary[Thing], config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing(config / "things.d", "one", 1, LONG_AGO)
    assert sizes(library) == {"one": 1}
    real = manifests._stamps

    def stamps(directory: Path) -> list[tuple[str, manifests.Stamp]]:
        if directory.name == "things.d":
            raise OSError(24, "Too many open files")
        return real(directory)

    with monkeypatch.context() as patch:
        patch.setattr(manifests, "_stamps", stamps)
        assert sizes(library) == {"one": 1}
        assert "things.d" in library.warnings()[0]
    assert sizes(library) == {"one": 1}
    assert library.warnings() == []


def test_a_file_in_place_of_a_directory_is_named(library: KindLibrary[Thing], config: Path, shipped: Path) -> None:
    thing(shipped, "one", 1)
    (config / "things.d").write_text("I am a file")
    assert sizes(library) == {"one": 1}
    assert "things.d" in library.warnings()[0]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)), min_size=1, max_size=4))
def test_no_bytes_make_a_look_raise(library: KindLibrary[Thing], config: Path, contents: list[bytes]) -> None:
    thing(config / "things.d", "good", 1)
    path = config / "things.d" / "any.toml"
    for content in contents:
        path.write_bytes(content)
        assert library.look()["good"].size == 1
        assert all("any.toml" in warning for warning in library.warnings())


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_no_flipped_bits_make_a_look_raise(library: KindLibrary[Thing], config: Path, data: st.DataObject) -> None:
    path = config / "things.d" / "any.toml"
    path.parent.mkdir(exist_ok=True)
    content = bytearray(
        b'id = "any"\nname = "Any"\nsize = 12\n[part]\nlist = [1, 2.5, "x"]\nwhen = 2026-01-31T10:00:00Z\n'
    )
    for position in data.draw(st.lists(st.integers(0, len(content) * 8 - 1), min_size=1, max_size=4)):
        content[position // 8] ^= 1 << position % 8
    path.write_bytes(content)
    found = library.look()
    assert found or library.warnings()


# ------------------------------------------------------------------------------------------------------------- events


async def test_changes_are_told_once_and_the_first_look_is_none(config: Path, shipped: Path) -> None:
    told: list[tuple[str, list[str]]] = []
    library = KindLibrary(
        ManifestKind("things", Thing, shipped), config, lambda kind, ids: told.append((kind, list(ids)))
    )
    thing(shipped, "one", 1)
    await library.all()
    assert told == []
    thing(config / "things.d", "one", 2)
    thing(config / "things.d", "two", 2)
    await asyncio.gather(library.all(), library.all())
    assert sorted(name for _, names in told for name in names) == ["one", "two"]
    assert {kind for kind, _ in told} == {"things"}
    await library.all()
    (config / "things.d" / "two.toml").unlink()
    assert await library.find("two") is None
    assert told[-1] == ("things", ["two"])


async def test_the_kernel_publishes_changes(make_kernel: MakeKernel) -> None:
    kind: ManifestKind[Thing] = ManifestKind("things", Thing)

    def jackfield_manifest_kinds() -> list[ManifestKind[Thing]]:
        return [kind]

    plugin = a_plugin(jackfield_manifest_kinds=jackfield_manifest_kinds)
    kernel = make_kernel(None, FakePlugin, plugin)
    things = kernel.context("things").port(ManifestLibraries).of(kind)
    await things.all()
    with kernel.events.subscribe("agents") as events:
        thing(kernel.config_dir / "things.d", "one", 1)
        await things.all()
        event = await anext(aiter(events))
    assert event.type == "manifests_changed"
    assert event.data == {"kind": "things", "ids": ["one"]}


def test_many_threads_may_look_at_once(library: KindLibrary[Thing], config: Path) -> None:
    for number in range(20):
        thing(config / "things.d", f"t{number}", number)
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(len(library.look()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [20] * 8


# ------------------------------------------------------------------------------------------------------------ packages


def brought(tmp_path: Path, name: str) -> PackagedDirectory:
    (tmp_path / name / "things").mkdir(parents=True)
    return PackagedDirectory(tmp_path / name, name)


async def test_what_packages_bring_comes_last(config: Path, shipped: Path, tmp_path: Path) -> None:
    first, second = brought(tmp_path, "first"), brought(tmp_path, "second")
    library = KindLibrary(ManifestKind("things", Thing, shipped), config, None, [first, second])
    for number, package in enumerate((first, second)):
        for name in ("shipped", "shared", "users", package.distribution):
            thing(package.path / "things", name, 10 + number)
    thing(shipped, "shipped", 1)
    thing(config / "things.d", "users", 2)
    sizes = {name: one.size for name, one in (await library.all()).items()}
    assert sizes == {"shipped": 1, "users": 2, "shared": 10, "first": 10, "second": 11}
    told = "\n".join(library.warnings())
    assert "shipped.toml of the distribution second: the id shipped is that of shipped.toml of Jackfield itself" in told
    assert (
        "shared.toml of the distribution second: the id shared is that of shared.toml of the distribution first" in told
    )
    assert str(config / "things.d") in told
    assert "users" not in told  # the operator meant it


async def test_a_broken_file_of_a_package_names_the_distribution(config: Path, shipped: Path, tmp_path: Path) -> None:
    package = brought(tmp_path, "acme")
    write(package.path / "things", "bad", "id = 1")
    library = KindLibrary(ManifestKind("things", Thing, shipped), config, None, [package])
    assert await library.all() == {}
    assert "bad.toml of the distribution acme: id" in library.warnings()[0]


def test_scripts_of_packages_come_last_and_tell_whose_they_are(config: Path, tmp_path: Path) -> None:
    package = brought(tmp_path, "acme")
    (package.path / "scripts").mkdir()
    path = package.path / "scripts" / "a.rhai"
    path.write_text("1")
    layers = FileLayers(config, lambda: [package])
    assert layers.find("scripts", "a.rhai") == path
    assert layers.distribution(path) == "acme"
    (config / "scripts").mkdir()
    (config / "scripts" / "a.rhai").write_text("2")
    assert layers.find("scripts", "a.rhai") == config / "scripts" / "a.rhai"
    assert layers.distribution(config / "scripts" / "a.rhai") is None
    assert layers.find("scripts", "../things/x.toml") is None


# ------------------------------------------------------------------------------------------------------- single files


def test_a_file_of_the_user_counts_before_the_registrys(config: Path) -> None:
    layers = FileLayers(config)
    current = config / "registry" / "current" / "scripts"
    current.mkdir(parents=True)
    (current / "a.rhai").write_text("1")
    assert layers.find("scripts", "a.rhai") == current / "a.rhai"
    (config / "scripts").mkdir()
    (config / "scripts" / "a.rhai").write_text("2")
    assert layers.find("scripts", "a.rhai") == config / "scripts" / "a.rhai"
    assert layers.directories("scripts")[:2] == [config / "scripts", current]


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "a/../../outside", ".", "..", "", "a\0b", "missing"])
def test_a_name_that_leads_out_of_its_folder_finds_nothing(config: Path, name: str) -> None:
    (config / "scripts").mkdir()
    (config / "outside").write_text("secret")
    assert FileLayers(config).find("scripts", name) is None
