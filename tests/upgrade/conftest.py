"""The program of an earlier commit, and the present one that takes over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from upgrade_lab import GIVEN, REVISION, NoRevision, UpgradedDaemon, earlier_program

NewDaemon = Callable[..., UpgradedDaemon]


@pytest.fixture(scope="session")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The earlier program."""
    if GIVEN:
        return Path(GIVEN)
    if not REVISION:
        pytest.skip("neither JACKFIELD_TEST_PREVIOUS nor JACKFIELD_TEST_REVISION names an earlier program")
    try:
        return earlier_program(tmp_path_factory.mktemp("earlier"), REVISION)
    except NoRevision as exc:
        pytest.skip(str(exc))


@pytest.fixture
def new_daemon(tmp_path: Path, earlier: Path) -> Iterator[NewDaemon]:
    """Make daemons, each in a directory of its own."""
    made: list[UpgradedDaemon] = []

    def make(settings: str, env: dict[str, str] | None = None) -> UpgradedDaemon:
        daemon = UpgradedDaemon(tmp_path / f"daemon{len(made)}", settings=settings, env=env)
        daemon.earlier = earlier
        made.append(daemon)
        return daemon

    yield make
    for daemon in made:
        daemon.close()
        print(daemon.tail())  # pytest shows it of a test that has failed


@pytest.fixture
def daemon(new_daemon: NewDaemon) -> UpgradedDaemon:
    return new_daemon((Path(__file__).parent / "config.toml").read_text())
