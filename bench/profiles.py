"""A full configuration directory: start with many profiles and manifests, and how long their lists take.

Each round is a daemon of its own. `/metrics` is asked before the first list, so that the list is measured and not the
assembling of the management API, which begins behind `/ready`; a row says what the two take together.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import harness
from startup import ready_time

from jackfield.testing.daemon import HOST, Daemon

PROFILES = 1000
MANIFESTS = 200
"""Half of them agents, half providers."""
LISTS = 100
"""Of each kind in a round, after the first."""
READY_MS = 1500
LIST_MS = 30
AGENT = 'id = "agent{n}"\nname = "Agent {n}"\nbinary = "agent{n}"\n[models]\ndefault = "m"\nsupported = ["m", "n"]\n'
PROVIDER = """id = "provider{n}"
name = "Provider {n}"
type = "openai-compatible"
[endpoints]
main = "https://provider{n}.example/v1"
[auth]
env_key = "PROVIDER{n}_API_KEY"
[models]
available = ["m", "n"]
default = "m"
"""
LATER = ("/api/profiles", "/api/agents", "/api/providers")


@dataclass
class Taken:
    """Milliseconds of every round."""

    ready: list[float] = field(default_factory=list)
    unprepared: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    later: dict[str, list[float]] = field(default_factory=lambda: {path: [] for path in LATER})


def fill(directory: Path) -> None:
    for folder, text in (("agents", AGENT), ("providers", PROVIDER)):
        place = directory / f"{folder}.d"
        place.mkdir(mode=0o700)
        for number in range(MANIFESTS // 2):
            (place / f"{number}.toml").write_text(text.replace("{n}", str(number)))
    (directory / "profiles").mkdir(mode=0o700)
    for number in range(PROFILES):
        (directory / "profiles" / f"profile{number}.json").write_text(json.dumps(profile(number), indent=2))


def profile(number: int) -> dict[str, object]:
    return {
        "alias": f"profile{number}",
        "agent_id": f"agent{number % (MANIFESTS // 2)}",
        "provider_id": f"provider{number % (MANIFESTS // 2)}",
        "endpoint_id": "main",
        "model": "m",
        "env": {"LEVEL": str(number), "MODE": "fast"},
        "args": ["--verbose"],
        "working_dir": None,
        "metadata": {
            "created_at": "2026-01-31T12:00:00Z",
            "last_used": "2026-01-31T13:00:00Z",
            "profile_home": f"/homes/profile{number}",
            "sandbox": "off",
            "hooks_config": {"Stop": [{"hooks": [{"type": "command", "command": "./check.sh", "timeout": 30}]}]},
        },
    }


def ask(connection: http.client.HTTPConnection, path: str) -> tuple[float, bytes]:
    """Milliseconds until the whole answer is there, and the answer."""
    start = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    taken = (time.perf_counter() - start) * 1000
    if answer.status != http.HTTPStatus.OK:
        sys.exit(f"{path} answered {answer.status}: {body[:500]!r}")
    return taken, body


def count(body: bytes) -> int:
    return len(json.loads(body)["data"])


def look(daemon: Daemon, taken: Taken) -> None:
    """One daemon that has just started."""
    connection = http.client.HTTPConnection(HOST, daemon.port, timeout=20)
    ask(connection, "/metrics")
    first, body = ask(connection, "/api/profiles")
    if count(body) != PROFILES:
        sys.exit(f"the list has {count(body)} profiles")
    taken.first.append(first)
    for path in LATER:
        ask(connection, path)
        taken.later[path] += [ask(connection, path)[0] for _ in range(LISTS)]
    connection.close()


def measure(rounds: int) -> Taken:
    harness.keep_bytecode()
    taken = Taken()
    with tempfile.TemporaryDirectory() as directory:
        daemon = Daemon(Path(directory))
        fill(daemon.config_dir)
        ready_time(daemon)
        daemon.stop()
        for _ in range(rounds):
            taken.ready.append(ready_time(daemon) * 1000)
            look(daemon, taken)
            daemon.stop()
            ready_time(daemon)
            connection = http.client.HTTPConnection(HOST, daemon.port, timeout=20)
            taken.unprepared.append(ask(connection, "/api/profiles")[0])
            connection.close()
            daemon.stop()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    taken = measure(options.rounds)
    rows = [
        row("`jackfield serve` to `/ready`", taken.ready, READY_MS),
        row("first `GET /api/profiles` of a daemon", taken.first, LIST_MS),
        row("the same at once behind `/ready`, the management API's assembling included", taken.unprepared, None),
        *(
            row(f"later `GET {path}`", times, LIST_MS if path == "/api/profiles" else None)
            for path, times in taken.later.items()
        ),
    ]
    ok = (
        statistics.median(taken.ready) <= READY_MS
        and statistics.median(taken.first) <= LIST_MS
        and statistics.median(taken.later["/api/profiles"]) <= LIST_MS
    )
    command = f"python bench/profiles.py --rounds {options.rounds}"
    about = f"{PROFILES:,} profiles, {MANIFESTS} manifests beside those that are shipped"
    text = "\n\n".join(
        [
            f"`{command}` — {about}. {harness.environment('quart', 'hypercorn', 'pydantic')}.",
            harness.table(["", "median ms", "p99 ms", "goal ms"], rows),
            f"Goals (medians): {harness.verdict(ok)}.",
        ]
    )
    harness.publish("profiles", text, write=options.write)
    sys.exit(0 if ok else 1)


def row(name: str, times: list[float], goal: int | None) -> list[str]:
    high = sorted(times)[min(len(times) - 1, round(len(times) * 0.99))]
    return [name, f"{statistics.median(times):.1f}", f"{high:.1f}", str(goal or "")]


if __name__ == "__main__":
    main()
