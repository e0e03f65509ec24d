"""The choice of working directories: names below the roots, for the daemon's own user alone."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.testing.daemon import Daemon
from jackfield_profiles.directories import DirectoryLister
from jackfield_profiles.settings import DirectorySettings


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("places").resolve()
    for name in ("home/src/site", "home/Docs", "home/.cache", "home/config/keys", "other/inner"):
        (root / name).mkdir(parents=True)
    (root / "home/file.txt").write_text("content")
    (root / "home/out").symlink_to(root / "other")
    (root / "home/in").symlink_to(root / "home/src")
    (root / "home/keys").symlink_to(root / "home/config/keys")
    (root / "home/dead").symlink_to(root / "nothing")
    (root / "home" / os.fsdecode(b"\xff")).mkdir()
    return root


def lister(place: Path, **more: int) -> DirectoryLister:
    return DirectoryLister(DirectorySettings(roots=(str(place / "home"),), **more), place / "home/config")


def test_names_of_directories_and_nothing_else(place: Path) -> None:
    found = lister(place).listing(None)
    assert found.path == str(place / "home")
    assert found.parent is None
    assert [(one.name, one.hidden) for one in found.entries] == [
        (".cache", True),
        ("Docs", False),
        ("in", False),
        ("src", False),
    ]
    below = lister(place).listing(str(place / "home/src"))
    assert (below.parent, [one.path for one in below.entries]) == (str(place / "home"), [str(place / "home/src/site")])


@pytest.mark.parametrize("path", ["../other", "out", "out/inner", "config", "config/keys", "keys", "src/../.."])
def test_no_way_leads_out(place: Path, path: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        lister(place).listing(str(place / "home" / path))
    assert "path" in caught.value.details


def test_a_link_that_stays_inside_is_resolved(place: Path) -> None:
    assert lister(place).listing(str(place / "home/in")).path == str(place / "home/src")


@pytest.mark.parametrize(("path", "code"), [("nowhere", 404), ("file.txt", 404), ("dead", 400)])
def test_what_is_no_directory_is_refused(place: Path, path: str, code: int) -> None:
    with pytest.raises(JackfieldError) as caught:
        lister(place).listing(str(place / "home" / path))
    assert caught.value.status == code


def test_what_cannot_be_entered_is_no_directory_and_hides_no_others(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "home/locked"
    (locked / "inner").mkdir(parents=True)
    (tmp_path / "home/src").mkdir()
    (tmp_path / "home/link").symlink_to(locked / "inner")
    stat = Path.stat

    def refused(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path != locked and path.is_relative_to(locked):  # root may enter everything
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refused)
    roots = (str(locked / "inner"), str(tmp_path / "home"))
    found = DirectoryLister(DirectorySettings(roots=roots), tmp_path / "config").listing(None)
    assert found.roots == (str(tmp_path / "home"),)
    assert [one.name for one in found.entries] == ["locked", "src"]


@given(st.text(max_size=40) | st.lists(st.sampled_from(["..", ".", "out", "in", "src", "~", ""])).map("/".join))
def test_no_text_lists_what_is_outside(place: Path, path: str) -> None:
    for asked in (path, f"{place}/home/{path}"):
        try:
            found = lister(place).listing(asked)
        except JackfieldError:
            continue
        assert Path(found.path).is_relative_to(place / "home")


def test_a_listing_is_bounded_and_says_so(place: Path) -> None:
    assert not lister(place).listing(None).truncated
    few = lister(place, limit=2).listing(None)
    assert (len(few.entries), few.truncated) == (2, True)
    assert lister(place, scan_limit=3).listing(None).truncated


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, place: Path) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("daemon"), env={"HOME": str(place / "home")}).start()
    yield found
    found.close()


def test_the_daemons_own_user_and_nobody_else(daemon: Daemon, place: Path) -> None:
    answer = daemon.client().get("/api/directories")
    assert answer.status_code == 200
    data: Any = answer.json()["data"]
    assert (data["path"], data["roots"], data["truncated"]) == (str(place / "home"), [str(place / "home")], False)
    assert {"name": "src", "path": str(place / "home/src"), "hidden": False} in data["entries"]
    token = {"Authorization": f"Bearer {daemon.login()}"}
    assert httpx.get(f"{daemon.base_url}/api/directories", headers=token).status_code == 403
    assert httpx.get(f"{daemon.base_url}/api/directories", headers={"Via": "x"}).status_code == 401


def test_a_mistake_names_its_field(daemon: Daemon) -> None:
    for path, status in (("relative", 400), ("/etc", 400), ("~/nowhere", 404)):
        answer = daemon.client().get("/api/directories", params={"path": path})
        assert answer.status_code == status
        assert "path" in answer.json()["details"]
