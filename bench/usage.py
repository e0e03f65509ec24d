"""Importing agents' logs against ccusage: the same tokens, the same cost from the same prices, time and memory.

    npm install --prefix DIR ccusage
    python bench/usage.py --ccusage DIR/node_modules/.bin/ccusage

Logs of Claude Code and Codex are generated, always the same ones for a size. Each is measured with the disk's cache
empty before every run, where that is allowed (root), and with the files in it. The disk's limit is the time in which as
many processes as the import has threads read the files and do nothing else. Ours is the time inside a process that runs
already, as the daemon does; ccusage is a command.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import harness

from jackfield_telemetry.importing.imports import MOST_WORKERS, ImportEffort, run_import
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.prices.price_list import PriceTable
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.reports.queries import Pricing, Slice, UsageFilter, slices

FACTOR = 3.0
DISK_FACTOR = 1.25
MEMORY_MB = 200
AGAIN_SECONDS = 1.0
EXACT = 1e-6
WORKERS = min(MOST_WORKERS, os.cpu_count() or 1)
"""Threads (or processes, without `jackfield_native`) of the import, and processes of the reading that it is compared
with."""
CLAUDE, CODEX = "bench-claude", "bench-codex"
PRICES = {
    CLAUDE: {
        "input_cost_per_token": 3e-6,
        "output_cost_per_token": 15e-6,
        "cache_creation_input_token_cost": 3.75e-6,
        "cache_read_input_token_cost": 0.3e-6,
        "input_cost_per_token_above_200k_tokens": 6e-6,
        "output_cost_per_token_above_200k_tokens": 22.5e-6,
        "cache_creation_input_token_cost_above_200k_tokens": 7.5e-6,
        "cache_read_input_token_cost_above_200k_tokens": 0.6e-6,
        "litellm_provider": "anthropic",
    },
    CODEX: {
        "input_cost_per_token": 1.25e-6,
        "output_cost_per_token": 10e-6,
        "cache_read_input_token_cost": 0.125e-6,
        "litellm_provider": "openai",
    },
}
_SYLLABLES = ("ka", "lo", "mi", "ne", "ru", "to", "sa", "vi", "pe", "du")


class Generator:
    """Logs with the lengths of lines and the repetitions of real ones."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._random = random.Random(20260131)
        words = ["".join(self._random.choices(_SYLLABLES, k=self._random.randint(1, 4))) for _ in range(2000)]
        lengths = (40, 200, 800, 3000, 9000)
        self._texts = [" ".join(self._random.choices(words, k=self._random.choice(lengths) // 6)) for _ in range(300)]
        self._count = 0
        self._time = datetime(2026, 1, 1, tzinfo=UTC)

    def write(self, size: int) -> int:
        """At least so many bytes; three fifths are Claude Code's. The number of files."""
        done = files = 0
        while done < size:
            claude = done < size * 0.6
            lines = list(self._claude() if claude else self._codex())
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
            folder = "claude/projects/-home-user-demo" if claude else "codex/sessions/2026/01/02"
            path = self._root / folder / f"rollout-{files:06d}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            done, files = done + len(text), files + 1
        return files

    def _moment(self, seconds: int) -> str:
        self._time += timedelta(seconds=self._random.randint(1, seconds))
        return self._time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _claude(self) -> Iterator[dict[str, object]]:
        session = f"{self._random.getrandbits(32):08x}-0000-4000-8000-{self._count:012x}"
        head: dict[str, object] = {
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/user/demo",
            "sessionId": session,
        }
        head |= {"version": "2.0.1", "gitBranch": "main"}
        for _ in range(self._random.randint(20, 300)):
            self._count += 1
            result = {"type": "tool_result", "content": self._random.choice(self._texts)}
            user = {"role": "user", "content": [result]}
            yield {**head, "type": "user", "message": user, "timestamp": self._moment(60), "toolUseResult": result}
            yield from self._answer(head)

    def _answer(self, head: dict[str, object]) -> Iterator[dict[str, object]]:
        """One line for each block, the first with a partial count; now and then a prompt above 200,000 tokens."""
        long = self._random.random() < 0.02
        written, hours = self._random.randint(0, 4000), self._random.choice((0, 0, 300))
        split = {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": hours}
        out, blocks = self._random.randint(2, 2000), self._random.choice((1, 2, 2, 3))
        for block in range(blocks):
            usage = {
                "input_tokens": 7,
                "cache_creation_input_tokens": written + hours,
                "cache_read_input_tokens": self._random.randint(*((210_000, 400_000) if long else (0, 180_000))),
                "cache_creation": split,
                "output_tokens": out if block else 1 if blocks > 1 else out,
            }
            message: dict[str, object] = {
                "model": CLAUDE,
                "id": f"msg_{self._count}",
                "type": "message",
                "role": "assistant",
            }
            content = [{"type": "text", "text": self._random.choice(self._texts)}]
            message = {**message, "content": content, "stop_reason": None, "usage": usage}
            line = {**head, "message": message, "requestId": f"req_{self._count}", "type": "assistant"}
            yield {**line, "uuid": f"{self._count}-{block}", "timestamp": self._moment(2)}

    def _codex(self) -> Iterator[dict[str, object]]:
        self._count += 1
        totals = [0, 0, 0, 0]
        meta = {"id": f"session-{self._count}", "cwd": "/home/user/demo", "source": "cli"}
        yield {"timestamp": self._moment(60), "type": "session_meta", "payload": meta}
        yield {"timestamp": self._moment(2), "type": "turn_context", "payload": {"model": CODEX}}
        for _ in range(self._random.randint(20, 300)):
            for kind in ("function_call_output", "reasoning"):
                payload = {"type": kind, "output": self._random.choice(self._texts)}
                yield {"timestamp": self._moment(30), "type": "response_item", "payload": payload}
            given = self._random.randint(1000, 150_000)
            used = [given, self._random.randint(0, given), self._random.randint(2, 3000), 1]
            totals = [total + number for total, number in zip(totals, used, strict=True)]
            info: dict[str, object] = {"total_token_usage": _counts(totals), "last_token_usage": _counts(used)}
            for _ in range(2):  # the same totals are written twice
                told = {"type": "token_count", "info": info, "rate_limits": None}
                yield {"timestamp": self._moment(2), "type": "event_msg", "payload": told}


def _counts(numbers: list[int]) -> dict[str, int]:
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    return {**dict(zip(names, numbers, strict=True)), "total_tokens": numbers[0] + numbers[2]}


def cool() -> bool:
    """Empty the disk's cache; False where that is not allowed."""
    try:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3\n")
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds: on the clock, and of all processors, which others on the machine disturb less."""

    wall: float
    cpu: float


def timed(work: Callable[[], object]) -> Time:
    """Of what runs in processes of its own."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def read_everything(root: Path) -> None:
    """The disk's limit: the files' bytes, by as many processes as the import has, and nothing done with them."""
    names = [str(path) for path in root.rglob("*.jsonl")]
    shares = [names[start::WORKERS] for start in range(WORKERS)]
    readers = [subprocess.Popen(["cat", *share], stdout=subprocess.DEVNULL) for share in shares if share]
    for reader in readers:
        reader.wait()


class Ours:
    """An import in a process of its own, so that its memory is its own."""

    def __init__(self, root: Path, ledger: Path, options: Sequence[str]) -> None:
        self._argv = [sys.executable, __file__, "--import-only", str(root), "--ledger", str(ledger), *options]

    def __call__(self) -> Time:
        # Its modules are compiled before the best round, as an installed package's are.
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        run = subprocess.run(self._argv, check=True, capture_output=True, text=True, env=env)
        wall, cpu, self.memory_mb = map(float, run.stdout.split())
        return Time(wall, cpu)


def import_only(root: Path, place: Path) -> None:
    start, before, ledger = time.perf_counter(), sum(os.times()[:4]), Ledger(place)
    sources = [LogSource(ClaudeReader(), root / "claude"), LogSource(CodexReader(), root / "codex")]
    run_import(ledger, sources, ImportEffort())
    seconds, cpu = time.perf_counter() - start, sum(os.times()[:4]) - before
    ledger.close()
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    sys.stdout.write(f"{seconds} {cpu} {(own + WORKERS * children) / 1024:.0f}\n")


def _slices(where: UsageFilter, pricing: Pricing, connection: sqlite3.Connection) -> list[Slice]:
    return list(slices(connection, where, pricing))


def our_sums(place: Path) -> dict[str, tuple[int, float]]:
    """Agent -> tokens and cost, by ccusage's rules: marginal prices for Claude Code, the request's for Codex."""
    ledger, table, found = Ledger(place), PriceTable(PRICES), {}
    for agent, pricing in (("claude", Pricing(table, "marginal")), ("codex", Pricing(table, "request"))):
        parts = ledger.read(partial(_slices, UsageFilter(agent=agent), pricing))
        found[agent] = (sum(part.tokens.total for part in parts), sum(part.cost.total for part in parts))
    ledger.close()
    return found


class Ccusage:
    """The other program, with our prices in its configuration."""

    def __init__(self, program: str, root: Path) -> None:
        config = root / "ccusage.json"
        config.write_text(json.dumps({"defaults": {"pricingOverrides": _camel(PRICES)}}))
        self._argv = [program, "daily", "--json", "--offline", "--config", str(config)]
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self._env = {**kept, "HOME": str(root / "nobody"), "CLAUDE_CONFIG_DIR": str(root / "claude")}
        self._env |= {"CODEX_HOME": str(root / "codex"), "NO_COLOR": "1", "TZ": "UTC"}

    def __call__(self) -> None:
        run = subprocess.run(self._argv, check=True, capture_output=True, text=True, env=self._env)
        self.report = json.loads(run.stdout)

    def sums(self) -> dict[str, tuple[int, float]]:
        found = {"claude": (0, 0.0), "codex": (0, 0.0)}
        for day in self.report["daily"]:
            for part in day["modelBreakdowns"]:
                names = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens")
                agent = "claude" if part["modelName"] == CLAUDE else "codex"
                tokens, cost = found[agent]
                found[agent] = (tokens + sum(part.get(name, 0) for name in names), cost + part["cost"])
        return found


def _camel(prices: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    def name(key: str) -> str:
        first, *rest = key.removesuffix("_tokens").split("_")
        return first + "".join(part.title() if not part[0].isdigit() else part for part in rest)

    def fixed(key: str) -> str:
        return f"{name(key)}Tokens" if key.endswith("_tokens") else name(key)

    return {
        model: {fixed(key): value for key, value in entry.items() if "cost" in key} for model, entry in prices.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--ccusage", help="the program; without it only ours is measured")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python-reader", action="store_true", help="read as where jackfield_native is not installed")
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    parser.add_argument("--import-only", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--ledger", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.python_reader:
        sys.modules["jackfield_native"] = None  # type: ignore[assignment]
    if options.import_only:
        import_only(options.import_only, options.ledger)
        return
    with tempfile.TemporaryDirectory(dir=Path.home()) as directory:
        root = Path(directory)
        files = Generator(root).write(options.megabytes * 1_000_000)
        text, ok = measured(root, files, options)
    harness.publish("usage python" if options.python_reader else "usage", text, write=options.write)
    sys.exit(0 if ok else 1)


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds on the clock, the best of all rounds; cpu: of all processors in that order, the best as well. other:
    ccusage's; 0 when it is not measured."""

    disk: float
    ours: float
    other: float
    cpu: tuple[float, float, float]

    @property
    def fast(self) -> bool:
        return self.as_the_disk or self.ahead

    @property
    def as_the_disk(self) -> bool:
        return self.ours <= DISK_FACTOR * self.disk

    @property
    def ahead(self) -> bool:
        return self.ours * FACTOR <= self.other

    def said(self, state: str) -> str:
        disk = f"{self.ours / self.disk:.2f} x reading (<= {DISK_FACTOR} x: {harness.verdict(self.as_the_disk)})"
        if not self.other:
            return f"With {state}: {disk}."
        ahead = f"{self.other / self.ours:.2f} x as fast as ccusage (>= {FACTOR:.0f} x: {harness.verdict(self.ahead)})"
        own = f"{self.cpu[2] / self.cpu[1]:.2f} x by processors"
        return f"With {state}: {ahead}, {own}, {disk}."


def rounds(number: int, prepare: Callable[[], object], root: Path, ours: Ours, other: Ccusage | None) -> Times:
    times: dict[str, list[Time]] = {"disk": [], "ours": [], "other": []}
    for _ in range(number):
        for place in (root / "ledger").glob("*"):
            place.unlink()
        prepare()
        times["disk"].append(timed(lambda: read_everything(root)))
        prepare()
        times["ours"].append(ours())
        if other is not None:
            prepare()
            times["other"].append(timed(other))
    best = [(min(one.wall for one in found), min(one.cpu for one in found)) for found in times.values() if found]
    (disk, disk_cpu), (mine, mine_cpu), (others, others_cpu) = [*best, (0.0, 0.0)][:3]
    return Times(disk, mine, others, (disk_cpu, mine_cpu, others_cpu))


def measured(root: Path, files: int, options: argparse.Namespace) -> tuple[str, bool]:
    ours = Ours(root, root / "ledger" / "ledger.db", ["--python-reader"] if options.python_reader else [])
    other = Ccusage(options.ccusage, root) if options.ccusage else None
    found: dict[str, Times] = {}
    if cool():
        found["an empty disk cache"] = rounds(options.rounds, cool, root, ours, other)
    read_everything(root)
    found["the files in the disk's cache"] = rounds(options.rounds, lambda: None, root, ours, other)
    memory, again = ours.memory_mb, ours().wall
    counted = next(iter(found.values()))
    ok = counted.fast and memory <= MEMORY_MB and again < AGAIN_SECONDS
    rows = [
        ["reading the files, nothing else", *(_both(times.disk, times.cpu[0]) for times in found.values())],
        ["Jackfield, first import", *(_both(times.ours, times.cpu[1]) for times in found.values())],
    ]
    same = ""
    if other is not None:
        named = f"ccusage {_version(options.ccusage)}"
        rows.insert(1, [named, *(_both(times.other, times.cpu[2]) for times in found.values())])
        equal, same = compared(our_sums(root / "ledger" / "ledger.db"), other.sums())
        ok = ok and equal
    command = f"python bench/usage.py --megabytes {options.megabytes} --ccusage ccusage --rounds {options.rounds}"
    command += " --python-reader" if options.python_reader else ""
    goals = (
        f"the first line's case {FACTOR:.0f} x as fast as ccusage or <= {DISK_FACTOR} x reading, <= {MEMORY_MB} MB, "
    )
    goals += f"again < {AGAIN_SECONDS:.0f} s, equal sums"
    parts = [
        f"`{command}` — {files} files, best of {options.rounds}. {harness.environment('msgspec')}.",
        harness.table(["s (of processors), with", *found], rows),
        "\n".join(f"- {times.said(state)}" for state, times in found.items()),
        f"Memory at most {memory:.0f} MB, all that reads included; a second import of the same takes {again:.2f} s.",
        f"{same}Goals ({goals}): {harness.verdict(ok)}.",
    ]
    return "\n\n".join(parts), ok


def _both(wall: float, cpu: float) -> str:
    return f"{wall:.2f} ({cpu:.2f})"


def compared(mine: dict[str, tuple[int, float]], theirs: dict[str, tuple[int, float]]) -> tuple[bool, str]:
    equal, told = True, []
    for agent, (tokens, cost) in mine.items():
        other_tokens, other_cost = theirs[agent]
        equal = equal and tokens == other_tokens and abs(cost - other_cost) <= EXACT
        told.append(f"{agent} {tokens:,} and {other_tokens:,} tokens, {cost:.6f} and {other_cost:.6f} dollars")
    return equal, f"Ours and ccusage's: {'; '.join(told)}. "


def _version(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]


if __name__ == "__main__":
    main()
