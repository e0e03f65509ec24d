"""A sync that dies at any step leaves the old content or the new, never a mix, and the next one succeeds."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from registry_lab import COMMITS, Lab

ONE, TWO, THREE, FOUR = COMMITS
STEPS = ("open", "rename", "replace", "symlink", "fsync", "mkdir", "utime", "unlink", "rmdir")

CHILD = """
import asyncio, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from registry_lab import Lab, Source, COMMITS
config, source, steps = Path(sys.argv[2]), Source(Path(sys.argv[3])), sys.argv[4].split(",")
first, last = int(sys.argv[5]), int(sys.argv[6])
ends = []
for death in range(first, last):
    # Before each: the old content is served, the new one published; a fork of its own dies at the step of this number.
    source.publish(COMMITS[1 + death % 2], f"at-{death}")
    Lab(config, source).service.content.acquire()()  # clears what the last one left, which is no step of this one
    child = os.fork()
    if child == 0:
        count = 0
        def dying(name):
            real = getattr(os, name)
            def step(*arguments, **named):
                global count
                if name == "open" and not arguments[1] & os.O_CREAT:
                    return real(*arguments, **named)
                count += 1
                if count == death:
                    os._exit(9)
                return real(*arguments, **named)
            return step
        lab = Lab(config, source, settings={"parallel": 1})
        for name in steps:
            setattr(os, name, dying(name))
        asyncio.run(lab.service.sync(force=True))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    lab = Lab(config, source)
    print(death, code, lab.label, flush=True)
    if code == 0:
        break
"""


def test_death_at_every_step(lab: Lab, tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    where = [str(lab.config_dir), str(lab.source.folder)]
    lab.source.publish(FOUR, "before")
    asyncio.run(lab.service.sync())
    command = [sys.executable, "-c", CHILD, here, *where, ",".join(STEPS), "1", "400"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    served = "before"
    lines = [line.split() for line in run.stdout.splitlines()]
    flips = 0
    for death, code, label in lines:
        assert label in (served, f"at-{death}"), "neither the old nor the new content"
        flips += label != served and code == "9"
        served = label
    assert lines[-1][1] == "0", "the last one lived to the end"
    assert len(lines) > 30, run.stdout
    assert flips > 0, run.stdout
    assert served == f"at-{lines[-1][0]}"
    assert [name for name in lab.leftovers() if "lock" not in name] == []
    lab.service.content.acquire()()
    assert lab.leftovers() == []
    found = lab.service.look()
    assert found.folder is not None
    assert lab.service.problems(found.folder) == []


@pytest.mark.parametrize("step", ["symlink", "rename", "replace", "mkdir"])
async def test_a_step_that_fails_keeps_the_old(lab: Lab, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from jackfield.api.errors import JackfieldError

    await lab.service.sync()
    real = getattr(os, step)
    failures = 0
    for number in range(1, 30):
        lab.source.publish(TWO, f"n{number}")
        before, count = lab.label, 0

        def fails(*arguments: object, number: int = number, **named: object) -> object:
            nonlocal count
            count += 1
            if count == number:
                raise OSError(5, "Input/output error", "x")
            return real(*arguments, **named)

        with monkeypatch.context() as patch:
            patch.setattr(os, step, fails)
            try:
                await lab.service.sync(force=True)
            except JackfieldError as exc:
                assert "Input/output error" in exc.message  # noqa: PT017 - it succeeds in the end
                failures += 1
        assert lab.label in (before, f"n{number}")
        if count < number:
            break
    assert failures
    await lab.service.sync(force=True)
    assert lab.leftovers() == []
