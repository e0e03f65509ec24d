"""A Debian machine that systemd-nspawn boots, in which the daemon is installed as on a server.

JACKFIELD_TEST_ROOT names its root file system, with the packages of `PACKAGES`; it stays as it is. Without one,
mmdebstrap makes it. JACKFIELD_TEST_WHEELS names a directory with the wheels of `rhai-python` and `native`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from jackfield.testing.daemon import poll

CHECKOUT = Path(__file__).resolve().parents[2]
ROOT = os.environ.get("JACKFIELD_TEST_ROOT", "")
WHEELS = os.environ.get("JACKFIELD_TEST_WHEELS", "")
PACKAGES = (
    "bubblewrap", "ca-certificates", "curl", "dbus", "dbus-user-session", "libpam-systemd", "procps", "python3-venv",
    "sudo", "systemd", "systemd-sysv",
)  # fmt: skip
PROGRAM = "/opt/jackfield/bin/jackfield"
USER = "ada"
BOOT_TIMEOUT = 120
INSTALL_TIMEOUT = 900
"""Seconds: pip fetches what the daemon needs."""
OF_THE_HOST = ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
"""By which pip finds its index; without them it takes its own."""
WITHOUT_MANAGER = () if Path("/run/systemd/system").exists() else ("--register=no", "--keep-unit")


def lacking() -> str:
    """Why there can be no machine here; empty: nothing lacks."""
    if os.geteuid() != 0:
        return "a machine is booted by root alone"
    missing = [name for name in ("systemd-nspawn", "nsenter", "mount") if shutil.which(name) is None]
    if not ROOT and shutil.which("mmdebstrap") is None:
        missing.append("mmdebstrap, or JACKFIELD_TEST_ROOT")
    return f"not there: {', '.join(missing)}" if missing else ""


class Machine:
    """`root`: its file system. `leader`: its process 1, as this machine numbers it."""

    def __init__(self, root: Path, leader: int) -> None:
        self.root = root
        self.leader = leader

    def run(self, script: str, *, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """A shell script of root there."""
        enter = ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--"]
        known = {"HOME": "/root", "LANG": "C.UTF-8", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/bin"}
        return subprocess.run(
            [*enter, "/bin/bash", "-c", script],
            env=known,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def told(self, script: str) -> str:
        """What it prints; it succeeds."""
        done = self.run(script)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout.strip()

    def in_a_session(self, script: str) -> subprocess.CompletedProcess[str]:
        """A script of its user, who has logged in."""
        (self.root / "srv/session.sh").write_text(script)
        session = f"systemd-run --pipe --quiet --wait -p User={USER} -p PAMName=login -p WorkingDirectory=/home/{USER}"
        return self.run(f"{session} /bin/bash -l /srv/session.sh")

    def shown(self, name: str, unit: str = "jackfield.service") -> str:
        """A property of a unit."""
        return self.told(f"systemctl show --property={name} --value {unit}")

    def group_file(self, place: str, file: str) -> str:
        """A file of a control group there."""
        return self.told(f"cat /sys/fs/cgroup{place}/{file}")


@contextmanager
def booted(place: Path) -> Iterator[Machine]:
    """With Jackfield in /opt/jackfield, from this checkout."""
    with ExitStack() as stack:
        root = stack.enter_context(_root(place))
        _install(root, place)
        log = stack.enter_context((place / "console.log").open("wb"))
        boot = ["--boot", "--private-network", "--console=pipe", f"--machine=jackfield-{os.getpid()}"]
        process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", *boot, *WITHOUT_MANAGER, "--directory", root],
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        stack.callback(_end, process)
        leader = poll(lambda: _leader(process), "the machine has a process 1", timeout=BOOT_TIMEOUT)
        machine = Machine(root, leader)
        poll(lambda: _has_started(machine), "the machine has started", timeout=BOOT_TIMEOUT)
        yield machine


def _has_started(machine: Machine) -> bool:
    return machine.run("systemctl is-system-running").stdout.strip() in {"running", "degraded"}


def _leader(process: subprocess.Popen[bytes]) -> int | None:
    """nspawn has other children first, which make its namespaces."""
    assert process.poll() is None, "systemd-nspawn has ended; see console.log"
    found = [pid for pid in _children(process.pid) if _name(pid) == "systemd"]
    return found[0] if found else None


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """nspawn ends with its machine, which SIGTERM halts."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


@contextmanager
def _root(place: Path) -> Iterator[Path]:
    """A root file system that may be written to, over one that stays as it is."""
    lower = Path(ROOT) if ROOT else _made(place / "lower")
    upper, work, root = (place / name for name in ("upper", "work", "root"))
    for folder in (upper, work, root):
        folder.mkdir()
    _call("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", str(root))
    try:
        yield root
    finally:
        _call("umount", "--lazy", str(root))


def _made(place: Path) -> Path:
    _call("mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", str(place))
    return place


def _install(root: Path, place: Path) -> None:
    """As the quickstart says, from wheels; and a user who may become root."""
    wheels = root / "srv" / "wheels"
    wheels.mkdir(parents=True)
    given = sorted(Path(WHEELS).glob("*.whl")) if WHEELS else []
    for wheel in given:
        shutil.copy(wheel, wheels)
    built = [CHECKOUT, *([] if given else [CHECKOUT / "rhai-python", CHECKOUT / "native"])]
    _call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), *map(str, built))
    binds = [f"--bind-ro={path}" for path in OF_THE_HOST if Path(path).exists()]
    script = place / "install.sh"
    script.write_text(
        f"set -e\nid {USER} > /dev/null 2>&1 || useradd --create-home --shell /bin/bash {USER}\n"
        f"echo '{USER} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/{USER}\n"
        "python3 -m venv /opt/jackfield\n"
        "/opt/jackfield/bin/pip install --quiet --find-links /srv/wheels 'jackfield[fast]'\n"
        f"ln -sf {PROGRAM} /usr/local/bin/jackfield\n"
    )
    shutil.copy(script, root / "srv" / "install.sh")
    quiet = ["systemd-nspawn", "--quiet", *WITHOUT_MANAGER, "--console=pipe", *binds, "--directory", str(root)]
    _call(*quiet, "/bin/bash", "/srv/install.sh", timeout=INSTALL_TIMEOUT)


def _call(*command: str, timeout: float = 300) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
