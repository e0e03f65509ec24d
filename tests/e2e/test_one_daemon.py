"""One daemon per directory and per database, also when somebody has deleted the lock file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon

StartDaemon = Callable[..., Daemon]


def beside(first: Daemon, directory: Path) -> Daemon:
    """A second daemon over the first one's directory."""
    directory.mkdir()
    second = Daemon(directory)
    second.config_dir = first.config_dir
    return second


def health(daemon: Daemon) -> int:
    return httpx.get(f"{daemon.base_url}/health", trust_env=False, timeout=10).status_code


@pytest.mark.parametrize("deleted", [False, True])
def test_a_second_daemon_is_refused(new_daemon: StartDaemon, tmp_path: Path, deleted: bool) -> None:
    first = new_daemon()
    if deleted:
        (first.config_dir / "daemon.lock").unlink()
    second = beside(first, tmp_path / "second")
    assert second.start(wait=False).wait(30) == 1
    assert f"already uses {first.config_dir}" in second.tail()
    assert "Traceback" not in second.tail()
    assert health(first) == 200
    first.kill()
    try:
        second.start()
        assert health(second) == 200
    finally:
        second.close()


def test_another_directory_with_the_same_database_is_refused(new_daemon: StartDaemon) -> None:
    first = new_daemon()
    file = first.config_dir / "jackfield.db"
    second = new_daemon(f'[store.sqlite]\nfile = "{file}"\n', start=False)
    assert second.start(wait=False).wait(30) == 1
    assert f"already uses the database {file}" in second.tail()
    assert "Traceback" not in second.tail()
    assert health(first) == 200
    first.kill()
    shutil.copytree(first.config_dir / "keys", second.config_dir / "keys", dirs_exist_ok=True)
    second.start()
    assert health(second) == 200
