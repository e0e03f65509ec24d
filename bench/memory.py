"""Memory over many calls: resident megabytes of the daemon while wrk calls one webhook again and again.

The first tenth of the calls fills the caches; from there to the end the curve has to be flat.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import harness
import httpx
from webhooks import jackfield, settle, status_counts

GROWTH = 1.10
WARM_SHARE = 0.1
CHUNK_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Sample:
    calls: int
    resident_mb: float


def measure(server: str, calls: int) -> list[Sample]:
    """One sample per chunk of calls, after every execution of the chunk is over."""
    with jackfield(server) as daemon:
        api = daemon.admin()
        samples = [Sample(0, harness.resident_mb(daemon.pid))]
        while samples[-1].calls < calls:
            load = harness.drive(f"{daemon.base_url}/webhook/received", CHUNK_SECONDS)
            settle(api)
            samples.append(Sample(done(api), harness.resident_mb(daemon.pid)))
            print(f"{samples[-1].calls:>8,} calls  {load.rate:6,.0f}/s  {samples[-1].resident_mb:6.1f} MB", flush=True)
            if load.failures:
                sys.exit(f"{load.failures} calls failed")
        return samples


def done(api: httpx.Client) -> int:
    return status_counts(api).get("success", 0)


def flat(samples: list[Sample]) -> bool:
    """Whether no later sample is more than a tenth above the first one after warming up."""
    warm = WARM_SHARE * samples[-1].calls
    after = [sample.resident_mb for sample in samples if sample.calls >= warm]
    return max(after) <= after[0] * GROWTH


def spread(samples: list[Sample], count: int = 8) -> list[Sample]:
    """At most so many, evenly picked, the first and last among them."""
    last = len(samples) - 1
    return [samples[index] for index in sorted({round(step * last / (count - 1)) for step in range(count)})]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", choices=["hypercorn", "uvicorn"], default="hypercorn")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    harness.need("wrk", "taskset")
    samples = measure(options.server, options.calls)
    rows = [[f"{sample.calls:,}", f"{sample.resident_mb:.1f}"] for sample in spread(samples)]
    command = f"python bench/memory.py --server {options.server} --calls {options.calls}"
    text = "\n\n".join(
        [
            f"`{command}` — Webhook → Set, answered when stored. {harness.environment(options.server, 'quart')}.",
            harness.table(["executions done", "resident MB, child processes included"], rows),
            f"Flat (at most {GROWTH} x the value after a tenth of the calls): {harness.verdict(flat(samples))}.",
        ]
    )
    harness.publish("memory", text, write=options.write)
    sys.exit(0 if flat(samples) else 1)


if __name__ == "__main__":
    main()
