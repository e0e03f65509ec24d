"""Too little memory is 503 MEMORY_SHORT, and never the caller's mistake."""

from __future__ import annotations

import errno
import json
import resource
import subprocess
import sys

import pytest

from jackfield.api import headroom
from jackfield.api.body_budget import BodyBudget
from jackfield.api.errors import JackfieldError, MemoryShort
from jackfield.api.headroom import Headroom, find_headroom, is_memory_short, unexpected

MIB = 1 << 20
TIGHT = """
import json, resource, sys
import orjson
from jackfield.api import jsontext
from jackfield_auth.settings import PasswordSettings
from jackfield_auth.users.argon2 import Argon2

argon2 = Argon2(PasswordSettings())
stored = argon2.hash("right")
document = b"[" + b",".join([b'{"a":"xxxxxxxxxx"}'] * 2_000_000) + b"]"
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 6_000_000,) * 2)
found = []
for work in (lambda: jsontext.loads(document), lambda: argon2.verify("right", stored)):
    try:
        found.append(repr(work()))
    except MemoryError:
        found.append("MemoryError")
print(json.dumps(found))
"""


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit of 4 TiB, which nothing reaches."""
    limit = 1 << 42
    monkeypatch.setattr(headroom.resource, "getrlimit", lambda _: (limit, limit))
    return limit


def test_without_a_limit_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headroom.resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert find_headroom(64 * MIB) is None


def test_the_reserve_is_kept(limited: int) -> None:
    found = find_headroom(64 * MIB)
    assert found is not None
    found.check()
    with pytest.raises(MemoryShort, match="4194304 MiB that `ulimit -v` allows"):
        found.check(limited - 64 * MIB)
    all_of_it = Headroom(limited, limited)
    with pytest.raises(MemoryShort) as caught:
        all_of_it.check()
    assert (caught.value.status, caught.value.code) == (503, "MEMORY_SHORT")
    assert dict(caught.value.headers) == {"Retry-After": "2"}


def test_a_body_needs_what_its_parser_takes(limited: int) -> None:
    budget = BodyBudget(1 << 50, 1 << 50, Headroom(limited, 0))
    kept = budget.take(MIB, sent=MIB)
    with pytest.raises(MemoryShort):
        budget.take(MIB, sent=limited // 16)
    assert budget.used == kept.size


@pytest.mark.parametrize(
    ("error", "short"),
    [
        (MemoryError(), True),
        (RuntimeError("can't start new thread"), True),
        (OSError(errno.ENOMEM, "no memory"), True),
        (OSError(errno.EIO, "disk"), False),
        (RuntimeError("other"), False),
    ],
)
def test_errors_that_mean_it(error: BaseException, short: bool) -> None:
    assert is_memory_short(error) is short
    assert type(unexpected(error)) is (MemoryShort if short else JackfieldError)


@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited on Linux")
def test_libraries_without_memory_blame_nobody() -> None:
    """orjson calls the document bad then, and argon2 the stored hash."""
    done = subprocess.run([sys.executable, "-c", TIGHT], capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout) == ["MemoryError", "MemoryError"]
