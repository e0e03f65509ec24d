"""Autobahn's WebSocket suite against our server's WebSockets.

JACKFIELD_TEST_AUTOBAHN: its program, such as `wstest` (it needs Python 2). Its cases want every message back, so the
server is one that echoes.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..chaos.echo import echo_server

PROGRAM = os.environ.get("JACKFIELD_TEST_AUTOBAHN", "")
PLAIN = {"cases": ["*"], "exclude-cases": ["12.*", "13.*"]}
COMPRESSED = {"cases": ["12.1.*", "12.2.*", "13.1.*"], "exclude-cases": []}
FINE = ("OK", "NON-STRICT", "INFORMATIONAL")

pytestmark = pytest.mark.skipif(not PROGRAM, reason="JACKFIELD_TEST_AUTOBAHN names no program")


@pytest.fixture(params=["plain", "compressed"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[int, str]]:
    with echo_server(request.param) as port:
        yield port, request.param


def test_no_case_fails(server: tuple[int, str], tmp_path: Path) -> None:
    port, kind = server
    asked = {
        "outdir": str(tmp_path / "reports"),
        "servers": [{"agent": "jackfield", "url": f"ws://127.0.0.1:{port}"}],
        "exclude-agent-cases": {},
        **(PLAIN if kind == "plain" else COMPRESSED),
    }
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(asked))
    subprocess.run([*shlex.split(PROGRAM), "-m", "fuzzingclient", "-s", str(settings)], check=True, timeout=1500)
    found = json.loads((tmp_path / "reports/index.json").read_text())["jackfield"]
    print(f"\n{len(found)} cases: {dict(Counter(case['behavior'] for case in found.values()))}")
    assert len(found) > 30
    wrong = {name: case for name, case in found.items() if not {case["behavior"], case["behaviorClose"]} <= {*FINE}}
    assert not wrong
