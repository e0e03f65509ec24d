"""The files of two hosts, for tests that look at one configuration directory.

Hosts are machines of their own: each has profiles, a ledger, a cache of detections and a registry. What a person would
put on each of them lies in the directory itself, and both see it: manifests, scripts, prices. What only one of them
has is shown there: the files of all profiles, and the rest as the first host has it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

GIVEN = ("agents.d", "providers.d", "scripts")
"""Directories that a person fills, at every host."""
OF_FIRST = ("telemetry", "registry", "cache", "logs")
"""Directories of hosts. Those of the first one are where tests look."""
PRICES = ("litellm-pricing.json", "pricing.json")
_PRIVATE = 0o700


class Views:
    """Of a configuration directory with one more directory below it for each host."""

    def __init__(self, config_dir: Path, hosts: Sequence[Path]) -> None:
        self._config_dir = config_dir
        self._hosts = hosts

    def prepare(self) -> None:
        """Before the hosts start."""
        for name in GIVEN:
            for host in self._hosts:
                _linked(host / name, self._config_dir / name)
        for name in OF_FIRST:
            _linked(self._hosts[0] / name, self._config_dir / name)
        _directory(self._config_dir / "profiles")
        endpoint = self._config_dir / "daemon-endpoint"
        if not endpoint.is_symlink():
            endpoint.symlink_to(self._hosts[0] / endpoint.name)
        self.refresh()

    def refresh(self) -> None:
        """Before each request and each answer, so that nobody sees an older state than he was told of."""
        with contextlib.suppress(FileNotFoundError):  # a file that goes meanwhile: the next look
            self._show_profiles()
        with contextlib.suppress(FileNotFoundError):
            self._show_logs()
        with contextlib.suppress(FileNotFoundError):
            self._spread_prices()

    def _show_profiles(self) -> None:
        shown = self._config_dir / "profiles"
        there = {
            entry.name: entry
            for host in self._hosts
            if (host / "profiles").is_dir()
            for entry in os.scandir(host / "profiles")
            if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)
        }
        seen = {entry.name: entry.inode() for entry in os.scandir(shown)}
        for name in seen.keys() - there.keys():
            (shown / name).unlink(missing_ok=True)
        for name, entry in there.items():
            if seen.get(name) != entry.inode():
                fresh = self._config_dir / f"{name}.new"
                os.link(entry.path, fresh)
                fresh.replace(shown / name)

    def _show_logs(self) -> None:
        for host in self._hosts[1:]:
            for entry in os.scandir(host / "logs") if (host / "logs").is_dir() else ():
                shown = self._config_dir / "logs" / f"{host.name}-{entry.name}"
                if entry.is_file(follow_symlinks=False) and not (shown.exists() and shown.samefile(entry.path)):
                    fresh = self._config_dir / f"{shown.name}.new"
                    os.link(entry.path, fresh)
                    fresh.replace(shown)

    def _spread_prices(self) -> None:
        """A file of prices that a person has put there is at every host."""
        for name in PRICES:
            given = self._config_dir / "registry" / name
            if given.is_symlink() or not given.is_file():
                continue
            for host in self._hosts[1:]:
                there = host / "registry" / name
                if not there.is_file() or there.stat().st_mtime_ns != given.stat().st_mtime_ns:
                    _directory(there.parent)
                    fresh = there.with_name(f"{name}.new")
                    shutil.copy2(given, fresh)
                    fresh.replace(there)


def _directory(path: Path) -> None:
    path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)


def _linked(link: Path, target: Path) -> None:
    _directory(target)
    if not link.is_symlink():
        link.symlink_to(target)
