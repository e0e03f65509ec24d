"""How Node.js is started: which version, and what holds it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.records import record
from jackfield.api.scripts import ScriptError
from jackfield_community_nodes.settings import CommunityNodesSettings

HOST = Path(__file__).parents[1] / "host"
"""Our own part of the process, in JavaScript."""
OLDEST = (20, 0)
_STABLE_PERMISSIONS = (22, 13)
"""From here on the permission model has its lasting name."""
_IN_HOST, _IN_PACKAGE = "/host", "/package"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_PROBE_TIMEOUT = 20.0
NO_NODE = "Community nodes need Node.js 20 or later: {found}. Install it, or name its program in community_nodes.node."
NO_SANDBOX = (
    "Community nodes run in a sandbox of bubblewrap, which does not work here. Install bubblewrap and allow "
    "user namespaces, or set community_nodes.sandbox to permissions, which leaves their code the network. "
    "The reason: {reason}"
)


@record
class NodeProgram:
    """path: real; version: the first two numbers."""

    path: Path
    version: tuple[int, int]


async def node_program(settings: CommunityNodesSettings) -> NodeProgram:
    """Raises `ScriptError` when there is none, or an old one."""
    return await asyncio.to_thread(_found, settings.node)


def _found(named: str) -> NodeProgram:
    where = shutil.which(named)
    if where is None:
        raise ScriptError(NO_NODE.format(found=f"there is no program {named}"), kind="crash")
    try:
        said = subprocess.run(  # noqa: S603 - the operator's program
            [where, "--version"], capture_output=True, text=True, timeout=_PROBE_TIMEOUT, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise ScriptError(NO_NODE.format(found=f"{named} cannot be run ({type(exc).__name__})"), kind="crash") from None
    version = re.match(r"v(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        raise ScriptError(NO_NODE.format(found=f"{named} is {said.strip()[:40] or 'something else'}"), kind="crash")
    return NodeProgram(Path(where).resolve(), (int(version[1]), int(version[2])))


def command(program: NodeProgram, root: Path, package: str, settings: CommunityNodesSettings) -> Sequence[str]:
    """Of a process for the package whose `node_modules` is in `root`."""
    limits = (f"--max-old-space-size={settings.memory}", "--no-warnings")
    longest, most = str(settings.max_message << 20), str((settings.memory + settings.buffers) << 20)
    if settings.sandbox == "permissions":
        allowed = [f"--allow-fs-read={path}" for path in (f"{HOST}/", f"{root}/")]
        switch = "--permission" if program.version >= _STABLE_PERMISSIONS else "--experimental-permission"
        main, package_dir = str(HOST / "main.js"), str(root / "node_modules" / package)
        return (str(program.path), *limits, switch, *allowed, main, longest, package_dir, most)
    package_dir = f"{_IN_PACKAGE}/node_modules/{package}"
    inside = (str(program.path), *limits, f"{_IN_HOST}/main.js", longest, package_dir, most)
    return (*sandbox(program, root), "--", *inside)


def sandbox(program: NodeProgram, root: Path) -> Sequence[str]:
    """bubblewrap's words: no network, no other process, no file but the system's programs and the package."""
    words = [
        shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--hostname", "community-nodes",
    ]  # fmt: skip
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    if not any(program.path.is_relative_to(name) for name in _SYSTEM):
        words += ["--ro-bind", str(program.path), str(program.path)]
    words += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--dev", "/dev", "--proc", "/proc"]
    words += ["--size", str(64 << 20), "--tmpfs", "/tmp"]  # noqa: S108 - of its own
    words += ["--ro-bind", str(HOST), _IN_HOST, "--ro-bind", str(root), _IN_PACKAGE, "--chdir", _IN_PACKAGE]
    return [*words, "--remount-ro", "/"]


def environment() -> Mapping[str, str]:
    """Nothing of the daemon's, whose environment may hold secrets."""
    return {"PATH": os.defpath, "TZ": "UTC", "LANG": "C.UTF-8", "NODE_ENV": "production", "HOME": "/tmp"}  # noqa: S108 - its own


def problem_of_sandbox(program: NodeProgram) -> str | None:
    """Why there is no sandbox of bubblewrap here; None when there is. Blocks for some milliseconds."""
    if sys.platform != "linux":
        return "It needs Linux."
    if shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed."
    words = (*sandbox(program, HOST), "--", str(program.path), "--version")
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_TIMEOUT, check=False, env=environment()
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"bubblewrap (bwrap) cannot be run: {type(exc).__name__}."
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap says: {said[-1][:200] if said else f'exit code {done.returncode}'}."
