"""What the benchmarks share: the payload, pinned processes, wrk, and the table."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAYLOAD_SIZE = 7 * 1024
SERVER_CORE = "0"
CLIENT_CORE = "1"
CONNECTIONS = 32

WRK_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-GitHub-Event"] = "push"
wrk.headers["User-Agent"] = "GitHub-Hookshot/0"
{headers}
local file = io.open("{body}", "rb")
wrk.body = file:read("*a")
file:close()
function done(summary, latency, requests)
  local refused = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  local form = 'RESULT {{"requests": %d, "seconds": %f, "p50_ms": %f, "p99_ms": %f, "failures": %d}}\\n'
  io.write(string.format(form, summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, summary.errors.status + refused))
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What wrk measured. failures: answers that were not 2xx or 3xx, and connections that broke."""

    requests: int
    seconds: float
    p50_ms: float
    p99_ms: float
    failures: int

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds


def keep_bytecode() -> None:
    """For processes that are started from here: their second start finds its bytecode compiled, as in every
    installation, even where a container's environment says that none is written."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def payload() -> bytes:
    """A GitHub delivery of about 7 KB, compact as GitHub sends it: a real one where samples lie beside the checkout."""
    samples = sorted((ROOT.parent / "shared/acceptance/payloads/github").glob("*.json"))
    compact = [json.dumps(json.loads(path.read_text()), separators=(",", ":")).encode() for path in samples]
    if compact:
        return min(compact, key=lambda body: abs(len(body) - PAYLOAD_SIZE))
    return generated_payload()


def generated_payload() -> bytes:
    """A push event of the shape and size of GitHub's."""
    repository = {f"{name}_url": f"https://api.example.com/repos/octo/hello/{name}{{/sha}}" for name in _URLS}
    person = {"login": "octo", "id": 21031067, "type": "User", "site_admin": False, "url": "https://example.com/octo"}
    commit = {"id": "6113728f27ae82c7b1a177c8d03f9e96e0adf246", "message": "Fix a typo", "author": person, "added": []}
    event: dict[str, object] = {
        "ref": "refs/heads/master",
        "repository": {"id": 186853002, "full_name": "octo/hello", "private": False, "owner": person, **repository},
        "pusher": {"name": "octo", "email": "octo@example.com"},
        "sender": person,
        "commits": [],
    }
    commits: list[object] = []
    while len(json.dumps({**event, "commits": commits}, separators=(",", ":"))) < PAYLOAD_SIZE - 100:
        commits.append({**commit, "timestamp": f"2026-01-31T12:00:{len(commits):02d}Z"})
    return json.dumps({**event, "commits": commits}, separators=(",", ":")).encode()


_URLS = [
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "contributors",
    "deployments",
    "downloads",
    "events",
    "forks",
    "git_commits",
    "git_refs",
    "git_tags",
    "hooks",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
    "notifications",
    "pulls",
    "releases",
    "stargazers",
    "statuses",
    "subscribers",
    "subscription",
    "tags",
    "teams",
    "trees",
]


def need(*tools: str) -> None:
    """End with a message when a tool is missing."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        sys.exit(f"missing: {', '.join(missing)} (Debian: apt-get install wrk util-linux)")


def pinned(core: str, *argv: str) -> list[str]:
    """The command, bound to one core."""
    return ["taskset", "-c", core, *argv]


def drive(
    url: str,
    seconds: int,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    connections: int = CONNECTIONS,
    core: str | None = CLIENT_CORE,
) -> Load:
    """Load an address with wrk from the client's core, or another one; None: from any."""
    more = "\n".join(f'wrk.headers["{name}"] = "{value}"' for name, value in (headers or {}).items())
    with tempfile.TemporaryDirectory() as directory:
        sample = Path(directory, "body.json")
        sample.write_bytes(body or payload())
        script = Path(directory, "post.lua")
        script.write_text(WRK_SCRIPT.format(body=sample, headers=more))
        argv = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(script), url]
        command = argv if core is None else pinned(core, *argv)
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in run.stdout.splitlines() if line.startswith("RESULT "))
    return Load(**json.loads(line.removeprefix("RESULT ")))


@contextmanager
def undisturbed(pids: Sequence[int]) -> Iterator[None]:
    """The processes, and wrk, which inherits it, run before all others of the machine, so that those do not disturb
    them: for a load of a few seconds, since nobody else gets much done, who have `PAUSE` behind it. Raises
    `PermissionError`: root may do so."""
    processes = [*pids, os.getpid()]
    _schedule(processes, os.SCHED_RR, _PRIORITY)
    try:
        yield
    finally:
        _schedule(processes, os.SCHED_OTHER, 0)
        time.sleep(PAUSE)


PAUSE = 1.5
"""Seconds for others."""
_PRIORITY = 10
"""Of Linux's 1 to 99, all of which come before whatever has none."""


def _schedule(pids: Sequence[int], policy: int, priority: int) -> None:
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(ProcessLookupError):  # a thread that has ended
                os.sched_setscheduler(int(thread.name), policy, os.sched_param(priority))


@contextmanager
def process(argv: Sequence[str], *, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A child that is ended, and if need be killed, afterwards; its output goes to a file that a failure shows."""
    with tempfile.NamedTemporaryFile() as log:
        child = subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env)
        try:
            yield child
        except BaseException:
            sys.stderr.write(Path(log.name).read_text(errors="replace")[-4000:])
            raise
        finally:
            child.terminate()
            try:
                child.wait(40)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def processor_seconds(pid: int) -> float:
    """That all threads of the process and of everything below it have run."""
    total = own_processor_seconds(pid)
    for child in Path(f"/proc/{pid}/task").glob("*/children"):
        total += sum(processor_seconds(int(below)) for below in child.read_text().split())
    return total


def children(pid: int) -> list[int]:
    """Processes that it has started and that run."""
    found = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for each in found for child in each]


def own_processor_seconds(task: int | str) -> float:
    """The same without what is below. task: a process, with all of its threads, or one of them: `PID/task/TID`."""
    fields = Path(f"/proc/{task}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Resident memory of a process and of everything below it, in MB."""
    total = round(own_resident_mb(pid) * 1024)
    for child in Path(f"/proc/{pid}/task").glob("*/children"):
        total += sum(round(resident_mb(int(below)) * 1024) for below in child.read_text().split())
    return total / 1024


def own_resident_mb(pid: int) -> float:
    """Resident memory of a process without its children, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def environment(*packages: str) -> str:
    """One line that says where and with what: machine, Python, library versions, day."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    model = models[0].split(":", 1)[1].strip() if models else platform.machine()
    parts = [f"{os.cpu_count()} cores of {model}", f"{platform.system()} {platform.release()}"]
    parts += [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)]
    return ", ".join([*parts, time.strftime("%Y-%m-%d", time.gmtime())])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def publish(section: str, text: str, *, write: bool) -> None:
    """Print a section; with write, put it between its marks in docs/benchmarks.md."""
    print(text)
    if not write:
        return
    page = ROOT / "docs/benchmarks.md"
    start, end = f"<!-- {section}: start -->", f"<!-- {section}: end -->"
    before, rest = page.read_text().split(start, 1)
    page.write_text(f"{before}{start}\n{text}\n{end}{rest.split(end, 1)[1]}")


def verdict(ok: bool) -> str:
    return "pass" if ok else "**fail**"
