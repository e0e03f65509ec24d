"""A webhook call goes through few modules: one reader can follow it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "trace_call.py"
MOST = 155
"""Switches from one file of ours to another, in the thread of the event loop; see docs/benchmarks.md."""


def test_a_call_switches_files_fewer_than_155_times() -> None:
    spec = importlib.util.spec_from_file_location("trace_call", TOOL)
    assert spec is not None
    assert spec.loader is not None
    trace_call = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(trace_call)
    # A timer of the daemon's may fall into every traced call of a busy machine: it has up to eight daemons' time.
    found: list[str] = []
    for _ in range(8):
        found = trace_call.switches(trace_call.call())
        if len(found) < MOST:
            break
    assert found[0].startswith("jackfield/http/")
    assert any("jackfield_store_sqlite" in entry for entry in found)
    assert len(found) < MOST, "\n".join(found)
