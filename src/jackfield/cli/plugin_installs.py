"""`jackfield plugins install` and `remove`: pip or uv in the environment that runs Jackfield.

Nothing is installed whose metadata names no plugin, and nothing stays that this Jackfield cannot load.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, NotFound
from jackfield.api.hooks import PROJECT
from jackfield.api.records import record
from jackfield.core.checks.precedence import OWN_DISTRIBUTION

from .kept_distribution import KeptDistribution

LONGEST_INSTALLATION = 900.0
"""Seconds for one run of pip or uv, which may have to compile."""
LONGEST_LOADING = 120.0
"""Seconds for a look at all plugins."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]+\])?([<>=!~]=?=?[A-Za-z0-9.*+!,<>=~]+)?")
_ARCHIVES = (".whl", ".tar.gz", ".zip")


@record
class PluginDistribution:
    """A distribution with the names of its plugins."""

    name: str
    version: str
    plugins: Sequence[str]


async def install_plugins(_: PluginContext, what: str) -> PluginDistribution:
    """what: a name with or without a version, or the path of a wheel, an sdist or a project. Raises
    `ConfigurationError` for an environment that may not be changed, and for what gives no plugin that loads."""
    return await asyncio.to_thread(_install, what)


async def remove_plugins(_: PluginContext, name: str) -> PluginDistribution:
    """name: of a distribution or of one of its plugins. Raises `NotFound`, and `ConfigurationError` for an environment
    that may not be changed."""
    return await asyncio.to_thread(_remove, name)


def _install(what: str) -> PluginDistribution:
    _refuse_environment()
    wanted = _wanted(what)
    with tempfile.TemporaryDirectory(prefix="jackfield-install-") as place:
        _run_installer("install", "--no-deps", "--target", place, wanted)
        found = next(_plugin_distributions([place]), None)
    if found is None:
        raise ConfigurationError(
            f"NAME_OR_PATH: {what} has no entry point in the group {PROJECT}, so nothing was installed; name the "
            "distribution of a plugin."
        )
    _refuse_own(found.name)
    before = _installed(found.name)
    with tempfile.TemporaryDirectory(prefix="jackfield-install-") as place:
        kept = None if before is None else KeptDistribution(before.name, _directory(place, "before"))
        others = _versions()
        try:
            _run_installer("install", "--constraint", str(_kept_as_it_is(Path(place))), wanted)
        except ConfigurationError as exc:
            if before is None or _installed(before.name) == before:
                raise
            raise ConfigurationError(
                " ".join([f"{exc.message.rstrip('.')}.", *_taken_back(found, before, kept)])
            ) from None
        if mistakes := _mistakes(found.name):
            told = f"{found.name} {found.version} does not load: {'; '.join(mistakes)}."
            raise ConfigurationError(" ".join([told, *_taken_back(found, before, kept), *_changed(found, others)]))
    return found


def _taken_back(
    found: PluginDistribution, before: PluginDistribution | None, kept: KeptDistribution | None
) -> Iterator[str]:
    """Remove what was installed, and bring back what was there. Sentences about both."""
    earlier = "" if before is None else f"{before.name} {before.version}"
    try:
        _uninstall(found.name)
    except ConfigurationError as exc:
        yield f"{exc.message.rstrip('.')}."
        yield f"{earlier} was there before; install it again." if earlier else "Remove it by hand."
        return
    yield f"{found.name} {found.version} was removed again."
    if before is None or kept is None:
        return
    try:
        is_back = kept.restore()
    except OSError as exc:
        yield f"{earlier} was there before and cannot be restored ({exc.strerror or exc}); install it again."
        return
    if not is_back:
        yield f"{earlier} was there before, without a list of its files; install it again."
    elif mistakes := _mistakes(before.name):
        yield f"{earlier} is there again, as before, and has its own mistakes: {'; '.join(mistakes)}."
    else:
        yield f"{earlier} is there again, as before."


def _versions() -> dict[str, str]:
    """Of every distribution, by its name."""
    return {_canonical(one.metadata["Name"]): one.version for one in distributions() if one.metadata["Name"]}


def _changed(found: PluginDistribution, before: Mapping[str, str]) -> Iterator[str]:
    """A sentence about other distributions that the installation has brought."""
    others = {
        name: now for name, now in _versions().items() if before.get(name) != now and name != _canonical(found.name)
    }
    if others:
        named = ", ".join(f"{name} {now} ({before.get(name, 'new')})" for name, now in sorted(others.items()))
        yield f"It had brought other distributions, which stay; the earlier version is in parentheses: {named}."


def _directory(place: str, name: str) -> Path:
    made = Path(place, name)
    made.mkdir()
    return made


def _remove(name: str) -> PluginDistribution:
    _refuse_environment()
    _refuse_own(name)
    found = _installed(name)
    if found is None:
        raise NotFound(f"No plugin and no distribution with plugins has the name {name}; see `jackfield plugins`.")
    _refuse_own(found.name)
    _uninstall(found.name)
    return found


def _wanted(what: str) -> str:
    """As pip takes it."""
    if "://" not in what and (os.sep in what or what.endswith(_ARCHIVES)):
        path = Path(what).expanduser().absolute()
        if not path.exists():
            raise ConfigurationError(f"NAME_OR_PATH: no file or directory {path} is here; name one that is.")
        return str(path)
    if not _REQUIREMENT.fullmatch(what):
        raise ConfigurationError(
            "NAME_OR_PATH: this is neither a name, such as jackfield-plugin-word-tally, nor a path; a path has a slash."
        )
    return what


def _refuse_environment() -> None:
    """Raises `ConfigurationError` where an installation would damage a system, or cannot be written."""
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix == sys.base_prefix and marker.is_file():
        raise ConfigurationError(
            f"The operating system manages the Python in {sys.prefix}. Install Jackfield into a virtual "
            "environment, for example by `python3 -m venv`, and install the plugin there."
        )
    place = sysconfig.get_path("purelib")
    if not os.access(place, os.W_OK):
        raise ConfigurationError(
            f"You may not write into {place}. Run the command as the user who owns it. In an image, add the plugin "
            "when you build the image."
        )


def _kept_as_it_is(place: Path) -> Path:
    """A file of constraints. A plugin that needs another version of Jackfield does not bring it."""
    file = place / "constraints.txt"
    file.write_text(f"{OWN_DISTRIBUTION}=={version(OWN_DISTRIBUTION)}\n")
    return file


def _refuse_own(name: str) -> None:
    if _canonical(name) == OWN_DISTRIBUTION:
        raise ConfigurationError("These commands are for plugins; upgrade Jackfield itself by pip or uv.")


def _plugin_distributions(places: Sequence[str] | None = None) -> Iterator[PluginDistribution]:
    """places: directories; default: where this process imports from."""
    found: Iterator[Distribution] = iter(distributions() if places is None else distributions(path=list(places)))
    for one in found:
        names = [point.name for point in one.entry_points if point.group == PROJECT]
        if names:
            yield PluginDistribution(one.metadata["Name"], one.version, names)


def _installed(name: str) -> PluginDistribution | None:
    """By its own name, or by that of one of its plugins."""
    known = list(_plugin_distributions())
    own = [one for one in known if _canonical(one.name) == _canonical(name)]
    return next(iter(own or [one for one in known if name in one.plugins]), None)


def _canonical(name: str) -> str:
    """Of a distribution, by https://packaging.python.org/en/latest/specifications/name-normalization/."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _mistakes(name: str) -> list[str]:
    """Of the plugins of a distribution, as a new process finds them: this one has imported what was there before."""
    with tempfile.TemporaryDirectory(prefix="jackfield-install-") as place:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("JACKFIELD_")}
        command = [sys.executable, "-m", "jackfield", "plugins", "--json", "--config-dir", place]
        try:
            done = _ran(command, LONGEST_LOADING, {**kept, "XDG_CACHE_HOME": place})
        except ConfigurationError as exc:
            return [f"Jackfield does not start with it: {exc.message}"]
    if done.returncode:
        return [f"Jackfield does not start with it: {_last_line(done.stderr)}"]
    try:
        rows: list[dict[str, Any]] = json.loads(done.stdout)
    except ValueError:
        return ["it writes to the standard output when it is imported, where commands give their answers"]
    own = [row for row in rows if _canonical(str(row["distribution"])) == _canonical(name)]
    mistakes = [
        f"{row['name']}: {row['error'] or row['status']}" for row in own if row["status"] != "loaded" or row["error"]
    ]
    return mistakes if own else ["Jackfield does not find its plugins"]


def _uninstall(name: str) -> None:
    _run_installer("uninstall", *(["--yes"] if _has_pip() else []), name)


def _has_pip() -> bool:
    return find_spec("pip") is not None


def _run_installer(action: str, *arguments: str) -> None:
    """Raises `ConfigurationError` with the last line that pip or uv says."""
    if _has_pip():
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", action]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", action, "--python", sys.executable]
    else:
        raise ConfigurationError(f"{sys.prefix} has no pip, and there is no uv; install one of them.")
    done = _ran([*command, *arguments], LONGEST_INSTALLATION, dict(os.environ))
    if done.returncode:
        raise ConfigurationError(f"`{'pip' if _has_pip() else 'uv pip'} {action}` failed: {_last_line(done.stderr)}")


def _ran(command: Sequence[str], longest: float, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - no shell, and nothing that begins with a hyphen is from outside
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=longest, env=environment
        )
    except subprocess.TimeoutExpired:
        raise ConfigurationError(f"{command[0]} did not end within {longest:g} seconds; try it by hand.") from None


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # Behind this word pip has the address of a page; the line before names what does not fit.
    errors = [line for line in lines if line.lower().startswith("error") and "ResolutionImpossible" not in line]
    return (errors or lines or ["it says nothing"])[-1]
