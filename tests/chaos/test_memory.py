"""A small limit of memory (`ulimit -v`): a start that says so, or answers of 200, 413 and 503; never a signal."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook

from ..e2e.conftest import StartDaemon
from .figures import Figures

MEBIBYTES = (2000, 1000, 700, 500, 350, 250, 180, 120)
BODIES = (10, 100_000, 1_000_000, 4_000_000)
"""Numbers in each body's list."""
CALLERS = 6
PERMITTED = (200, 413, 503)
STARTED = 60.0


@pytest.mark.scenario("memory", len(MEBIBYTES))
def test_little_memory(new_daemon: StartDaemon, figures: Figures) -> None:
    limits = MEBIBYTES[: figures.count]
    figures.unit = f"limits of memory, {min(limits)} to {max(limits)} MiB"
    started, answers = [], Counter[int]()
    for limit in limits:
        daemon = new_daemon(prefix=("sh", "-c", f'ulimit -v {limit * 1024}; exec "$@"', "sh"), start=False)
        daemon.start(wait=False)
        if not ready(daemon):
            code = daemon.wait(10)
            if code <= 0 or "Traceback" in daemon.tail():
                figures.violate({f"start with {limit} MiB": [f"code {code}", daemon.tail(1500)]})
            continue
        started.append(limit)
        try:
            statuses = besiege(daemon)
        except (AssertionError, httpx.HTTPError) as exc:
            end = "running" if daemon.running else f"code {daemon.wait(1)}"
            figures.violate({f"calls with {limit} MiB": [f"{end}: {exc}"[:500], daemon.tail(1500)]})
            daemon.close()
            continue
        answers.update(statuses)
        if other := statuses.keys() - set(PERMITTED):
            figures.violate({f"answers with {limit} MiB": sorted(other)})
        if not daemon.running:
            figures.violate({f"ended with {limit} MiB": [daemon.wait(1)]})
        daemon.close()
    said = ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))
    figures.note(starts_with_at_least=f"{min(started, default=0)} MiB", answers=said)
    figures.check()


def ready(daemon: Daemon) -> bool:
    """Whether it serves; False once it has ended."""

    def answered() -> str:
        if not daemon.running:
            return "ended"
        try:
            return str(httpx.get(f"{daemon.base_url}/ready", trust_env=False, timeout=5).is_success or "")
        except httpx.TransportError:
            return ""

    return poll(answered, "the daemon is ready or has ended", timeout=STARTED) != "ended"


def besiege(daemon: Daemon) -> Counter[int]:
    """Statuses of large bodies, several at a time; afterwards small calls have to be answered again. Where the memory
    is too little to save a workflow, that is refused, and the daemon goes on."""
    try:
        daemon.live(
            chain("large", webhook("large", responseMode="lastNode"), set_fields("Set", n="={{ $json.body.length }}"))
        )
    except AssertionError as refused:
        if "MEMORY_SHORT" not in str(refused):
            raise
        assert daemon.client().get("/health").status_code == httpx.codes.OK
        return Counter({int(httpx.codes.SERVICE_UNAVAILABLE): 1})

    def call(numbers: int) -> int:
        body = b"[" + b"{}," * numbers + b"{}]"
        with httpx.Client(trust_env=False, timeout=120) as client:
            headers = {"Content-Type": "application/json"}
            return client.post(f"{daemon.base_url}/webhook/large", content=body, headers=headers).status_code

    found = Counter[int]()
    for numbers in BODIES:
        with ThreadPoolExecutor(CALLERS) as callers:
            found.update(callers.map(call, [numbers] * CALLERS))
    poll(lambda: call(1) == httpx.codes.OK, "a small call is answered", timeout=60)
    return found
