"""Where the time of a webhook call goes: samples of the daemon under load, by the part of the program that they are in.

A sample counts for the innermost frame that belongs to one of the parts, so that the time of SQLite and of the standard
library stands with who called them. Needs py-spy, wrk and taskset.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import harness
from webhooks import jackfield

LEAST = 1.0
FRAME = re.compile(r"\((?:.*/)?(hypercorn|uvicorn|h11|httptools|asyncio|jackfield\w*)((?:/\w+)?/[\w.]+)?:")
NAMES = {"jackfield": "kernel", "asyncio": "asyncio and uvloop"}
FINE = ("jackfield",)


def samples(server: str, path: str, seconds: int) -> list[str]:
    """Lines of `stack count` while the webhook is under load."""
    with jackfield(server) as daemon, tempfile.TemporaryDirectory() as directory:
        url = f"{daemon.base_url}/webhook/{path}"
        harness.drive(url, 2)
        output = Path(directory, "samples")
        options = ["-d", str(seconds), "-r", "400", "-f", "raw", "--nonblocking", "-o", str(output)]
        watcher = subprocess.Popen(
            ["py-spy", "record", "-p", str(daemon.pid), *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        harness.drive(url, seconds + 1)
        _, messages = watcher.communicate()
        if not output.exists():
            raise SystemExit(messages.decode())
        return output.read_text().splitlines()


def part(stack: str) -> tuple[str, str]:
    """The part that a stack is in, and the module of ours within it."""
    for frame in reversed(stack.split(";")):
        found = FRAME.search(frame)
        if found:
            inner = (found[2] or "").strip("/").removesuffix(".py") if found[1].startswith(FINE) else ""
            return NAMES.get(found[1], found[1]), inner
    return "other", ""


def shares(lines: Iterable[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Percent of the samples by part, and by module of ours."""
    parts, modules = Counter[str](), Counter[str]()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        name, module = part(stack)
        parts[name] += int(count)
        if module:
            modules[f"{name}: {module}"] += int(count)
    scale = 100 / sum(parts.values())
    return {name: n * scale for name, n in parts.items()}, {name: n * scale for name, n in modules.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=["hypercorn", "uvicorn"], default="hypercorn")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk", "taskset", "py-spy")
    parts, modules = shares(samples(options.server, "received", options.seconds))
    command = f"python bench/where.py --server {options.server} --seconds {options.seconds}"
    text = "\n\n".join(
        [
            f"`{command}` — onReceived, Webhook → Set. {harness.environment(options.server, 'quart')}.",
            harness.table(["part", "% of samples"], rows(parts)),
            harness.table(["module of ours", "% of samples"], rows(modules)),
        ]
    )
    harness.publish(f"where {options.server}", text, write=options.write)


def rows(shares: dict[str, float]) -> list[list[str]]:
    ordered = sorted(shares.items(), key=lambda entry: -entry[1])
    return [[name, f"{share:.1f}"] for name, share in ordered if share >= LEAST]


if __name__ == "__main__":
    main()
