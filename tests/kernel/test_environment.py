"""Secrets of the environment are out of the memory that other programs may read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os
from pathlib import Path
from jackfield.core.process.environment import wipe
wipe(["PLANTED", "EMPTY", "MISSING"], os.environ)
shown = Path("/proc/self/environ").read_bytes()
assert b"planted-in-env" not in shown and b"PLANTED=" in shown and b"OTHER=stays" in shown, shown
assert os.environ["PLANTED"] == "planted-in-env-\\u00e9"
assert os.system('test "$OTHER" = stays && test "$PLANTED" != "planted-in-env-\\u00e9"') == 0
"""


HIDDEN = """
import ctypes, os
from pathlib import Path
from jackfield.core.process.environment import hide
for _ in range(3):
    hide(["PLANTED", "EMPTY", "MISSING"], os.environ)
shown = Path("/proc/self/environ").read_bytes()
assert b"planted-in-env" not in shown and b"PLANTED=" in shown and b"OTHER=stays" in shown, shown
find = ctypes.CDLL(None).getenv
find.restype = ctypes.c_char_p
assert find(b"PLANTED").decode() == os.environ["PLANTED"] == "planted-in-env-\u00e9"
"""


def test_what_a_library_reads_itself_is_out_of_what_others_may_read() -> None:
    env = {**os.environ, "PLANTED": "planted-in-env-é", "EMPTY": "", "OTHER": "stays", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", HIDDEN], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


BUILT = """
import os, sys
from pathlib import Path
from jackfield.core.building import build
kernel = build(Path(sys.argv[1]), dict(os.environ), {})
assert b"planted-in-env" not in Path("/proc/self/environ").read_bytes()
"""


def test_the_password_that_libpq_reads_is_hidden(tmp_path: Path) -> None:
    env = {**os.environ, "PGPASSWORD": "planted-in-env"}
    done = subprocess.run(
        [sys.executable, "-c", BUILT, str(tmp_path / "config")], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_its_value_is_overwritten_and_can_still_be_read() -> None:
    env = {**os.environ, "PLANTED": "planted-in-env-é", "EMPTY": "", "OTHER": "stays", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
