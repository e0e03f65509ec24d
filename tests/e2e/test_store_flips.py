"""Flipped bits in the store of a daemon that was killed: no acknowledged execution is missing without being told, and
nothing is told where nothing is missing. JACKFIELD_TEST_FLIPS sets how many places of each file (3)."""

from __future__ import annotations

import base64
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook

sys.path.insert(0, str(Path(__file__).parent))

from damage import Damage, flip_at, run, run_alone

StartDaemon = Callable[..., Daemon]
FLIPS = int(os.environ.get("JACKFIELD_TEST_FLIPS", "3"))
KILLS = FLIPS
CALLS = 25
DATABASE, LOG = "jackfield.db", "jackfield.db-wal"


def called(daemon: Daemon, count: int) -> list[str]:
    """Call the webhook one after the other; the acknowledged executions."""
    with httpx.Client(base_url=daemon.base_url, trust_env=False, timeout=20) as client:
        answers = [client.post("/webhook/flips", json={"n": n, "text": text_of(n)}) for n in range(count)]
    return [str(answer.json()["executionId"]) for answer in answers]


def text_of(number: int) -> str:
    """What packing makes no shorter, so that most of the file is what the calls brought."""
    return base64.b85encode(random.Random(number).randbytes(12_000)).decode()


def ready(daemon: Daemon) -> dict[str, object]:
    answer = httpx.get(f"{daemon.base_url}/ready", trust_env=False, timeout=20)
    assert answer.status_code == 200
    found: dict[str, object] = answer.json()
    return found


def missing(daemon: Daemon, acknowledged: Sequence[str]) -> list[str]:
    api = daemon.admin()
    return [each for each in acknowledged if api.get(f"/executions/{each}").status_code == 404]


def errors(daemon: Daemon) -> list[str]:
    return [str(line["message"]) for line in daemon.logs() if line["level"] == "error"]


@pytest.fixture
def filled(new_daemon: StartDaemon) -> tuple[Daemon, list[str]]:
    """A killed daemon, and what it had acknowledged."""
    daemon = new_daemon()
    daemon.live(chain("flips", webhook("flips"), set_fields("Set", n="={{ $json.body.n }}")))
    acknowledged = called(daemon, CALLS)
    daemon.kill()
    return daemon, acknowledged


def again(daemon: Daemon, saved: Path) -> None:
    """The directory as the kill has left it."""
    shutil.rmtree(daemon.config_dir)
    shutil.copytree(saved, daemon.config_dir)


def all_over(file: Path, chance: random.Random) -> list[int]:
    """Places in the file."""
    size = file.stat().st_size
    return [int(size * (number + chance.random()) / FLIPS) for number in range(FLIPS)]


def flipped(daemon: Daemon, saved: Path, name: str, chance: random.Random, places: Sequence[int]) -> Iterator[Damage]:
    """One flip after the other; each time the daemon is ready, or has refused to start."""
    for place in places:
        again(daemon, saved)
        damage = flip_at(daemon.config_dir / name, chance, place)
        damage.inflict()
        daemon.start(wait=False)
        poll(lambda: not daemon.running or daemon._ready(), "the daemon is ready, or refuses", timeout=40)
        yield damage


def test_no_execution_is_lost_without_a_word(filled: tuple[Daemon, list[str]], tmp_path: Path) -> None:
    daemon, acknowledged = filled
    saved = tmp_path / "saved"
    shutil.copytree(daemon.config_dir, saved)
    chance = random.Random(7)
    told = 0
    for damage in flipped(daemon, saved, LOG, chance, all_over(saved / LOG, chance)):
        if not daemon.running:
            assert str(daemon.config_dir / DATABASE) in daemon.tail(), damage.what
            told += 1
            continue
        state = ready(daemon)
        logged = [text for text in errors(daemon) if "commits that were acknowledged" in text]
        assert (state["status"] == "degraded") == bool(logged), damage.what
        if logged:
            told += 1
            doctor = run(daemon, "doctor")
            assert doctor.returncode == 1
            assert "has lost" in doctor.stdout
            assert "acknowledge-damage" in doctor.stdout
            assert "jackfield_store_lost_commits 0" not in daemon.client().get("/metrics").text
        else:
            assert missing(daemon, acknowledged) == [], damage.what
        daemon.kill()
    assert told, "flips that lose nothing prove nothing"


def test_a_loss_stays_told_until_it_is_acknowledged(filled: tuple[Daemon, list[str]]) -> None:
    daemon, _ = filled
    (daemon.config_dir / LOG).write_bytes(b"")
    for _ in range(2):
        daemon.start(timeout=40)
        assert ready(daemon)["status"] == "degraded"
        assert daemon.stop() == 0
    daemon.start()
    accepted = run(daemon, "acknowledge-damage")
    assert accepted.returncode == 0
    assert "has lost" in accepted.stdout
    poll(lambda: ready(daemon)["status"] == "ready", "the daemon has noticed")
    assert run(daemon, "doctor").stdout.count("has lost") == 0


def test_no_false_alarm(new_daemon: StartDaemon, tmp_path: Path) -> None:
    """Kills, stops, a copied directory, a backup that is restored."""
    daemon = new_daemon()
    daemon.live(chain("flips", webhook("flips"), set_fields("Set", n="={{ $json.body.n }}")))
    acknowledged: list[str] = []
    for _ in range(KILLS):
        acknowledged += called(daemon, 5)
        daemon.kill()
        daemon.start()
        assert ready(daemon)["status"] == "ready"
    poll(lambda: "it is whole" in str(daemon.logs()), "all of the data was looked at")
    assert missing(daemon, acknowledged) == []
    made = run(daemon, "backup", str(tmp_path / "backups"))
    assert made.returncode == 0, made.stderr
    daemon.kill()
    shutil.copytree(daemon.config_dir, tmp_path / "copied" / "config")
    restored = tmp_path / "restored" / "config"
    assert run_alone(daemon, "restore", str(tmp_path / "backups"), str(restored)).returncode == 0
    for place in ("copied", "restored"):
        other = new_daemon(directory=tmp_path / place, start=False)
        shutil.rmtree(other.config_dir)
        (tmp_path / place / "config").rename(other.config_dir)
        other.start()
        assert ready(other)["status"] == "ready"
        assert missing(other, acknowledged) == []
    daemon.start()
    assert daemon.stop() == 0
    daemon.start()
    assert ready(daemon)["status"] == "ready"
    assert errors(daemon) == []


def test_flips_in_the_database_are_told(filled: tuple[Daemon, list[str]], tmp_path: Path) -> None:
    """Whatever is read is what was written, or is refused by name; nothing is a 500."""
    daemon, acknowledged = filled
    daemon.start()
    api = daemon.admin()
    whole = {each: api.get(f"/executions/{each}").json() for each in acknowledged}
    assert daemon.stop() == 0
    saved = tmp_path / "saved"
    shutil.copytree(daemon.config_dir, saved)
    chance = random.Random(9)
    told = 0
    within_a_call = (saved / DATABASE).read_bytes().index(text_of(CALLS // 2)[500:516].encode())
    for damage in flipped(daemon, saved, DATABASE, chance, [*all_over(saved / DATABASE, chance), within_a_call]):
        if not daemon.running:
            assert str(daemon.config_dir / DATABASE) in daemon.tail(), damage.what
            told += 1
            continue
        api = daemon.admin()
        assert api.get("/executions").status_code in (200, 503), damage.what
        changed = 0
        for each in acknowledged:
            answer = api.get(f"/executions/{each}")
            assert answer.status_code in (200, 404, 409, 503), f"{damage.what}: {answer.text}"
            if answer.status_code != 200 or answer.json() != whole[each]:
                changed += 1
                assert answer.status_code != 409 or answer.json()["code"] == "DATA_DAMAGED"
        if changed:
            assert run(daemon, "doctor").returncode == 1, f"{damage.what}: {changed} executions"
            told += 1
        assert daemon.stop() == 0
    assert told, "flips that change nothing prove nothing"
