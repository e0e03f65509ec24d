"""Secrets of the environment are out of the memory that other programs may read."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import os
from pathlib import Path
from jackfield.core.environment import wipe
wipe(["PLANTED", "EMPTY", "MISSING"], os.environ)
shown = Path("/proc/self/environ").read_bytes()
assert b"planted-in-env" not in shown and b"PLANTED=" in shown and b"OTHER=stays" in shown, shown
assert os.environ["PLANTED"] == "planted-in-env-\\u00e9"
assert os.system('test "$OTHER" = stays && test "$PLANTED" != "planted-in-env-\\u00e9"') == 0
"""


def test_its_value_is_overwritten_and_can_still_be_read() -> None:
    env = {**os.environ, "PLANTED": "planted-in-env-é", "EMPTY": "", "OTHER": "stays", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
