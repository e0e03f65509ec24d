"""Damaged files of the configuration directory: named, worked around, and left as they are. JACKFIELD_TEST_DAMAGES sets
how many files are damaged one after the other (30)."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from jackfield.http.app import TOKEN_FORM
from jackfield.testing.daemon import poll

sys.path.insert(0, str(Path(__file__).parent))

from damage import REBUILT, Answer, Damage, Site, befall, blank, flip, is_malformed, named

SEED = 5
FLIPS = int(os.environ.get("JACKFIELD_TEST_DAMAGES", "30"))
COLD_EVERY = 30
DATABASE_FLIPS = max(1, FLIPS // 60)
LEDGER = "telemetry/ledger.db"
NAMED_BY = {
    "profiles/": "/api/profiles",
    "agents.d/": "/api/agents",
    "providers.d/": "/api/providers",
    "telemetry/": "/api/usage?period=all",
    "registry/registry.lock": "/api/registry",
}
"""Whose answer warns of a file that cannot be read."""
VERIFIED = ("registry/commits/", "keys/")
"""Where the doctor names every change, since there is a checksum."""
STOPPING = ("keys/encryption.key", "daemon-token")
"""What refuses the start when it is damaged."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    yield made
    made.close()


def owner(site: Site, damage: Damage) -> tuple[str, str | None]:
    """The route that shows what the file holds, and under which id."""
    name = site.name(damage.path)
    if name.startswith("registry/commits/"):
        kind = name.split("/")[3]
        return {"agents": "/api/agents", "providers": "/api/providers"}.get(kind, ""), damage.path.stem
    return next((route for start, route in NAMED_BY.items() if name.startswith(start)), ""), damage.path.stem


def check(site: Site, damage: Damage, now: Mapping[str, Answer]) -> None:
    """All the rest is as before, and what has gone is named."""
    route, own = owner(site, damage)
    name = site.name(damage.path)
    for asked, before in site.whole.items():
        after = now[asked]
        if name.startswith("telemetry/") and asked == route:
            assert after.items.keys() == before.items.keys()
        elif name.startswith("registry/") and asked == "/api/registry":
            assert after.items["channel"] == before.items["channel"]
        elif "pricing" in name and asked == "/api/usage?period=all":
            assert after.items["total_tokens"] == before.items["total_tokens"], damage.what
        elif name.startswith("cache/") and asked == "/api/agents":
            assert after.items.keys() == before.items.keys(), damage.what
        else:
            rest = {one: item for one, item in before.items.items() if asked != route or one != own}
            assert {one: after.items.get(one) for one in rest} == rest, f"{damage.what}: {asked}"
            more = after.items.keys() - before.items.keys()
            assert not more or (asked == route and own not in after.items and len(more) == 1), damage.what
            if own not in after.items and own in before.items and asked == route and not more:
                assert after.names(damage.path), f"{damage.what}: {asked} does not name it"
    if route and is_malformed(damage.path, damage.after):
        assert now[route].names(damage.path), f"{damage.what}: {route} does not name it: {now[route].warnings}"


def must_be_named(site: Site, damage: Damage) -> bool:
    """By the doctor."""
    name = site.name(damage.path)
    if name == LEDGER:
        return not is_sound(damage.path)
    if name == "daemon-token":
        return not TOKEN_FORM.fullmatch(damage.after.decode("ascii", "replace").strip())
    if name.startswith(REBUILT) or (name.endswith(".key") and damage.after.strip() == damage.before.split()[0]):
        return False  # a key without its second line is a key
    return name.startswith(VERIFIED) or is_malformed(damage.path, damage.after)


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.Error:
        return False


def assert_left_alone(site: Site, damage: Damage) -> None:
    name = site.name(damage.path)
    mended = name == LEDGER and is_sound(damage.path)  # what it forgot of a log is read again
    if not name.startswith(REBUILT) and not mended:
        assert damage.left() == damage.after, f"{damage.what}: overwritten"


def test_one_flip_after_the_other(site: Site) -> None:
    chance = random.Random(SEED)
    for number in range(FLIPS):
        damage = befall(chance.choice(site.files()), chance)
        damage.inflict()
        check(site, damage, site.sweep())
        assert_left_alone(site, damage)
        if number % COLD_EVERY == COLD_EVERY - 1:
            restart(site, damage)
        damage.mend()
        assert_whole(site, damage)


def test_flips_in_the_ledger(site: Site) -> None:
    chance = random.Random(SEED)
    for _ in range(DATABASE_FLIPS):
        damage = befall(site.config / LEDGER, chance)
        damage.inflict()
        restart(site, damage)
        damage.mend()
        assert_whole(site, damage)


def assert_whole(site: Site, damage: Damage) -> None:
    """As before; only a ledger that was found damaged is opened again by a restart alone."""
    if site.name(damage.path) == LEDGER and site.sweep() != site.whole:
        site.restart()
    assert site.sweep() == site.whole, damage.what


def restart(site: Site, damage: Damage) -> None:
    """What a daemon says that finds the damage at its start."""
    assert site.daemon.stop() == 0
    assert_left_alone(site, damage)
    told = site.doctor()
    if must_be_named(site, damage):
        assert named(damage.path, told), f"{damage.what}: the doctor does not name it:\n{told}"
    assert_left_alone(site, damage)
    if site.name(damage.path) in STOPPING and must_be_named(site, damage):
        site.daemon.start(wait=False)
        assert site.daemon.wait(20) == 1, damage.what
        assert str(damage.path) in site.daemon.tail()
        damage.mend()
        site.daemon.start()
        return
    site.daemon.start()
    check(site, damage, site.sweep())
    assert_left_alone(site, damage)


def test_everything_damaged_at_once_is_named(site: Site) -> None:
    """Zeros in every file that does not stop the start: what is shipped remains."""
    files = [path for path in site.files() if site.name(path) not in (*STOPPING, "daemon-endpoint")]
    damages = [blank(path) for path in files]
    assert site.daemon.stop() == 0
    for damage in damages:
        damage.inflict()
    told = site.doctor()
    # Of a registry whose index is blank nothing more can be said.
    expected = [one for one in damages if must_be_named(site, one) and "/commits/" not in str(one.path)]
    assert not [site.name(one.path) for one in expected if not named(one.path, told)], told
    site.daemon.start()
    now = site.sweep()
    assert now["/api/profiles"].items == {}
    shipped = site.whole["/api/agents"].items.keys() - {"one", "two", "three", "four", "five"}
    assert now["/api/agents"].items.keys() == shipped
    assert site.daemon.stop() == 0
    for damage in damages:
        assert_left_alone(site, damage)
        damage.mend()
    site.daemon.start()
    assert site.sweep() == site.whole


def test_a_flip_in_the_key_stops_the_next_start(site: Site) -> None:
    damage = flip(site.config / "keys/encryption.key", random.Random(1))
    damage.inflict()
    check(site, damage, site.sweep())
    restart(site, damage)
    assert site.sweep() == site.whole


def test_a_broken_configuration_stops_the_start(site: Site) -> None:
    damage = blank(site.config / "config.toml")
    damage.inflict()
    assert site.sweep() == site.whole
    assert site.daemon.stop() == 0
    assert site.daemon.start(wait=False).wait(20) == 1
    assert str(damage.path) in site.daemon.tail()
    damage.mend()
    site.daemon.start()
    assert site.sweep() == site.whole


def test_flips_in_the_database_lose_nothing(site: Site) -> None:
    """Each is without effect, or is named and stops the start; mended, all is there."""
    chance = random.Random(SEED)
    path = site.config / "jackfield.db"
    site.daemon.login()
    for _ in range(DATABASE_FLIPS):
        assert site.daemon.stop() == 0
        damage = befall(path, chance)
        damage.inflict()
        if refuses(site):
            assert str(path) in site.daemon.tail(), damage.what
            assert path.read_bytes() == damage.after, damage.what
        else:
            site.sweep()
            assert site.daemon.stop() == 0
        damage.mend()
        site.daemon.start()
        assert site.sweep() == site.whole
        site.daemon.login()


def refuses(site: Site) -> bool:
    """Whether the daemon ends by itself instead of becoming ready."""
    site.daemon.start(wait=False)
    try:
        poll(site.daemon._ready, "ready", timeout=20)
    except AssertionError:
        assert site.daemon.wait(20) == 1
        return True
    return False
