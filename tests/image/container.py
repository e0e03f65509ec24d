"""The image, built from `deploy/Dockerfile` by buildah without a daemon of containers, and run by bubblewrap.

JACKFIELD_TEST_BUILDAH is buildah with its own options, such as a place of images. JACKFIELD_TEST_BUILD_OPTIONS are
options of `buildah build`, such as volumes with certificates. JACKFIELD_TEST_IMAGE names an image that is there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "deploy/Dockerfile"
BUILDAH = shlex.split(os.environ.get("JACKFIELD_TEST_BUILDAH", "buildah"))
OPTIONS = shlex.split(os.environ.get("JACKFIELD_TEST_BUILD_OPTIONS", ""))
BUILT = os.environ.get("JACKFIELD_TEST_IMAGE", "")
USER = 10001
BUILD_TIMEOUT = 1800
"""Seconds: the compiler of Rust, npm and pip."""


def lacking() -> str:
    """Why there can be no image here; empty: nothing lacks."""
    missing = [name for name in (BUILDAH[0], "bwrap") if shutil.which(name) is None]
    if missing:
        return f"{' and '.join(missing)}: not installed"
    if os.geteuid() != 0:
        return "an image is mounted by root alone"
    return ""


def buildah(*arguments: str, timeout: float = 120) -> str:
    """Its output. A failure raises `CalledProcessError`, and pytest shows the error output."""
    command = [*BUILDAH, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=timeout).stdout


def bases() -> set[str]:
    """Images from others that the stages begin with."""
    stages = re.findall(r"^FROM (\S+)(?: AS (\S+))?$", DOCKERFILE.read_text(), re.MULTILINE)
    return {base for base, _ in stages} - {name for _, name in stages} - {"scratch"}


def unreachable() -> list[str]:
    """Bases that are neither here nor to be pulled."""
    return [base for base in sorted(bases()) if not _is_there(base)]


def _is_there(image: str) -> bool:
    for command in (["inspect", "--type", "image", image], ["pull", image]):
        done = subprocess.run([*BUILDAH, *command], capture_output=True, timeout=600)
        if done.returncode == 0:
            return True
    return False


def built() -> str:
    """The image's name."""
    if BUILT:
        return BUILT
    name = "localhost/jackfield:test"
    ignored = ["--ignorefile", f"{DOCKERFILE}.dockerignore"]
    # The format of OCI has no health check.
    chosen = ["--isolation", "chroot", "--layers", "--format", "docker", *OPTIONS, "-f", str(DOCKERFILE), "-t", name]
    buildah("build", *ignored, *chosen, str(ROOT), timeout=BUILD_TIMEOUT)
    return name


def pulled(name: str, place: Path) -> int:
    """Bytes that a registry sends for the image: its layers, compressed by gzip."""
    buildah("push", "--quiet", "--format", "v2s2", name, f"dir:{place}", timeout=600)
    manifest: dict[str, Any] = json.loads((place / "manifest.json").read_text())
    return sum(int(layer["size"]) for layer in manifest["layers"])


class Image:
    """One that is mounted at `root`, and its settings."""

    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        said: dict[str, Any] = json.loads(buildah("inspect", "--type", "image", name))
        self.root = root
        self.settings: dict[str, Any] = said["Docker"]["config"]

    @property
    def environment(self) -> dict[str, str]:
        return dict(entry.split("=", 1) for entry in self.settings["Env"])

    def command(self) -> list[str]:
        return [*self.settings["Entrypoint"], *self.settings["Cmd"]]

    def health_check(self) -> list[str]:
        kind, *command = self.settings["Healthcheck"]["Test"]
        assert kind == "CMD"
        return [str(each) for each in command]

    def size(self, place: str = ".") -> int:
        """Bytes of the files below a place of it, each once."""
        seen: dict[int, int] = {}
        for folder, _, names in os.walk(self.root / place):
            for name in names:
                about = os.lstat(Path(folder, name))
                seen[about.st_ino] = about.st_size
        return sum(seen.values())

    def process(self, command: list[str], volume: Path, given: dict[str, str], output: IO[bytes]) -> Contained:
        return Contained(self, command, volume, given, output)


class Contained:
    """A process in the image: a root that cannot be written to, the image's user, no capability, the host's network."""

    def __init__(
        self, image: Image, command: list[str], volume: Path, given: dict[str, str], output: IO[bytes]
    ) -> None:
        ask, tell = os.pipe()
        (place,) = image.settings["Volumes"]
        options = ["--ro-bind", str(image.root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        options += ["--bind", str(volume), place, "--chdir", image.settings["WorkingDir"], "--info-fd", str(tell)]
        options += [word for right in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{right}")]
        become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs"]
        become += ["--bounding-set=-all", "--inh-caps=-all", "--"]
        self._process = subprocess.Popen(
            ["bwrap", *options, "--", *become, *command],
            env=image.environment | given,
            pass_fds=[tell],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        os.close(tell)
        with os.fdopen(ask) as told:
            self.pid: int = json.load(told)["child-pid"]

    def is_running(self) -> bool:
        return self._process.poll() is None

    def ended(self, timeout: float) -> int:
        """Its exit code."""
        return self._process.wait(timeout)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def status(self) -> dict[str, str]:
        """What the kernel says of it."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@contextmanager
def mounted(name: str) -> Iterator[Image]:
    container = buildah("from", "--pull-never", name).strip()
    try:
        yield Image(name, Path(buildah("mount", container).strip()))
    finally:
        buildah("rm", container)
