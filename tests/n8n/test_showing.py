"""The shared cases of what a form shows are n8n's own rules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from . import installing

SCRIPT = Path(__file__).with_name("showing.js")
CASES = Path(__file__).resolve().parents[1] / "kernel/showing.json"
SECONDS = 60


def test_n8n_shows_the_same_fields() -> None:
    try:
        command, place = [installing.node(), str(SCRIPT)], installing.directory()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    asked = CASES.read_bytes()
    done = subprocess.run(command, cwd=place, input=asked, capture_output=True, timeout=SECONDS, check=True)
    cases, theirs = json.loads(asked), json.loads(done.stdout)
    assert len(cases) == len(theirs)
    told = [case["name"] for case, shown in zip(cases, theirs, strict=True) if shown is not case["shown"]]
    assert told == [], "n8n does not agree with these cases"
