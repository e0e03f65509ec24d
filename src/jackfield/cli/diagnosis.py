"""`jackfield doctor`: what an operator would look at first."""

from __future__ import annotations

import logging
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from jackfield.api.command_credentials import damaged_credentials
from jackfield.api.context import PluginContext
from jackfield.api.daemon import DaemonAbsent, DaemonClient, DaemonSlow
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import JackfieldError
from jackfield.api.object_references import load
from jackfield.api.similar_names import did_you_mean
from jackfield.core.areas import PublicAreas
from jackfield.core.keys.record import FACT, read_record
from jackfield.core.tables import ServerSettings
from jackfield.http.app import daemon_token
from jackfield.http.server import check_free

from .runtime import Runtime

if TYPE_CHECKING:
    from jackfield.core.kernel import Kernel

_PublicLook: TypeAlias = Callable[[ServerSettings, PublicAreas], list[Finding]]
LOW_SPACE = 256 * 1024 * 1024


def diagnose(runtime: Runtime, config_dir: Path | None, daemon_time: float) -> list[Finding]:
    """Every check; later ones are left out when an earlier one makes them pointless. daemon_time: seconds for the
    running daemon to answer."""
    _warn_once()
    directory = runtime.config_dir(config_dir)
    findings = [Finding("python", sys.version_info >= (3, 11), sys.version.split()[0])]
    try:
        kernel = runtime.kernel(config_dir)
    except JackfieldError as exc:
        return [*findings, Finding("configuration", False, exc.message)]
    findings.append(Finding("configuration", True, str(directory)))
    known = [table.path for table in kernel.settings.tables]
    findings += [
        Finding("configuration", False, f"no loaded plugin knows [{t}]{did_you_mean(t, known).removesuffix('.')}")
        for t in kernel.settings.unknown_tables
    ]
    findings += [
        Finding("configuration", False, f"the environment has {name}, which is no setting")
        for name in kernel.settings.unknown_variables
    ]
    findings += [Finding("configuration", False, mistake) for mistake in kernel.idle_overrides()]
    findings += [_keys(kernel), *_logins(directory), *_files(kernel)]
    findings += [
        Finding(f"plugin {plugin.name}", plugin.status != "failed", plugin.error or plugin.status)
        for plugin in kernel.plugins.plugins.values()
    ]
    try:
        findings += runtime.run("doctor", _look_at_store, config_dir=config_dir)
    except JackfieldError as exc:
        findings.append(Finding("store", False, exc.message))
        return findings
    inside, answers = _in_the_daemon(directory, daemon_time)
    outside = _from_outside(kernel) if answers else []
    free = [] if inside or answers else _port(kernel)
    return [*findings, *inside, *outside, *free, *runtime.findings(config_dir)]


def _warn_once() -> None:
    """Each of the kernels that the checks build has the same warnings."""
    told: set[str] = set()

    def is_first(line: logging.LogRecord) -> bool:
        text = line.getMessage()
        is_new = text not in told
        told.add(text)
        return is_new

    console = logging.StreamHandler()
    console.setLevel(logging.WARNING)
    console.addFilter(is_first)
    logging.getLogger().addHandler(console)


def _port(kernel: Kernel) -> list[Finding]:
    """Whether a start could listen; a daemon that runs has its port."""
    server = kernel.settings.get(ServerSettings)
    try:
        check_free(server)
    except JackfieldError as exc:
        return [Finding("port", False, exc.message)]
    return [Finding("port", True, f"{server.host}:{server.port} is free")]


def _in_the_daemon(directory: Path, daemon_time: float) -> tuple[list[Finding], bool]:
    """Mistakes of plugins in the daemon that runs, where they were started and are used; and whether it answers."""
    try:
        plugins = DaemonClient(directory).ask("GET", "/api/plugins", timeout=daemon_time).data
        told = [(str(plugin["name"]), str(plugin["error"])) for plugin in plugins]
    except DaemonAbsent:
        return [], False
    except DaemonSlow as exc:
        remedy = "Try again later, or give it more time with --daemon-timeout."
        return [Finding("daemon", False, f"{exc.message} {remedy}")], False
    except JackfieldError as exc:
        return [Finding("daemon", False, exc.message)], False
    except (TypeError, KeyError):
        return [Finding("daemon", False, "gives no list of its plugins that can be read")], True
    return [Finding(f"plugin {name} in the running daemon", False, error) for name, error in told if error], True


def _from_outside(kernel: Kernel) -> list[Finding]:
    server = kernel.settings.get(ServerSettings)
    if not server.public_url:
        return []
    look = cast("_PublicLook", load("jackfield.cli.public_look:look_from_outside"))
    return look(server, kernel.areas)


async def _look_at_store(context: PluginContext) -> list[Finding]:
    await context.store.check()
    users = await context.store.users()
    hint = "" if users else "; no user yet: jackfield user add NAME --role admin"
    return [Finding("store", True, f"answers, {len(users)} users{hint}"), await _rotation(context)]


async def _rotation(context: PluginContext) -> Finding:
    text = await context.store.fact(FACT)
    if text is not None and read_record(text).resealing:
        return Finding("master key", False, "not everything is sealed with it yet: run `jackfield keys rotate` again")
    return Finding("master key", True, "is the one that the store is sealed with")


def _keys(kernel: Kernel) -> Finding:
    try:
        kernel.secrets.check()
        if (kernel.config_dir / "daemon-token").exists():
            daemon_token(kernel.config_dir)
    except JackfieldError as exc:
        return Finding("keys", False, exc.message)
    return Finding("keys", True, "can be read")


def _logins(directory: Path) -> list[Finding]:
    """Of commands at other daemons."""
    remedy = "is damaged; delete it, and log in again with `jackfield login`"
    return [Finding("logins", False, f"{path} {remedy}") for path in damaged_credentials(directory)]


def _files(kernel: Kernel) -> list[Finding]:
    directory = kernel.config_dir
    free = shutil.disk_usage(directory).free
    findings = [Finding("disk", free > LOW_SPACE, f"{free // 2**20} MiB free at {directory}")]
    own = directory / "config.toml"
    loose = [path for path in [directory, *directory.rglob("*")] if path != own and _is_open(path)]
    named = ", ".join(str(path) for path in loose[:5])
    of_own = _configuration_file(own)
    if loose or not of_own:
        findings.append(Finding("permissions", not loose, f"open to others: {named}" if loose else "closed to others"))
    return [*findings, *of_own]


def _configuration_file(path: Path) -> list[Finding]:
    """An editor made it, with the usual mode: only its owner knows whether it holds secrets. Others who may write it
    could have the daemon run anything."""
    if not _is_open(path):
        return []
    mode = stat.S_IMODE(path.lstat().st_mode)
    what = "change" if mode & 0o022 else "read"
    remedy = f"`chmod 600 {path}` closes it"
    return [Finding("permissions", what == "read", f"others may {what} {path} ({mode:o}); {remedy}")]


def _is_open(path: Path) -> bool:
    """Whether others may use the file; one that a running daemon has just removed is none."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & 0o077)
