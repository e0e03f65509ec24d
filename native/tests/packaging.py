"""Builds the wheel and the source distribution, checks what they hold, and tests both in fresh environments.

Argument: a directory to work in, which is emptied first.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PROBE = "import jackfield_native; assert list(jackfield_native.Logs([], [], print)) == []"
IN_WHEEL = {"jackfield_native/__init__.py", "jackfield_native/_native.pyi", "jackfield_native/py.typed"}
IN_SDIST = {
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "src/lib.rs",
    "tests/test_logs.py",
}
TESTS = ["hypothesis>=6.130", "pytest>=8.4"]


def run(*command: object, cwd: Path = PROJECT) -> None:
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=cwd)


def fresh_python(place: Path) -> Path:
    venv.create(place, with_pip=True, clear=True)
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def check_names(found: set[str], wanted: set[str], what: Path) -> None:
    missing = wanted - found
    if missing:
        raise SystemExit(f"{what.name} lacks {sorted(missing)}")


def check_contents(wheel: Path, sdist: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
    check_names(names, IN_WHEEL, wheel)
    if not any(name.endswith("licenses/THIRD_PARTY_LICENCES.txt") for name in names):
        raise SystemExit(f"{wheel.name} lacks the licences of the crates that it links")
    if "cp311-abi3" not in wheel.name or not any(name.startswith("jackfield_native/_native.") for name in names):
        raise SystemExit(f"{wheel.name} is not an abi3 wheel of the compiled half")
    with tarfile.open(sdist) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    check_names(names, IN_SDIST, sdist)


def main(work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    dist = work / "dist"
    run(sys.executable, "-m", "build", "--outdir", dist)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    check_contents(wheel, sdist)
    # `build` makes the wheel from the source distribution, so one wheel stands for both.
    python = fresh_python(work / "venv")
    run(python, "-m", "pip", "install", "--quiet", wheel, *TESTS)
    run(python, "-c", PROBE, cwd=work)
    tests = work / "tests"
    shutil.copytree(PROJECT / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    settings = ["-c", PROJECT / "pyproject.toml", "--rootdir", work]
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *settings, tests, cwd=work)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
