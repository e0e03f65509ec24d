"""Links between daemons and their database that a test can cut, in a thread of their own; and a daemon whose network is
another one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from typing import Self

import pytest

from jackfield.testing.daemon import HOST, Daemon

from ..plugins.store_postgres.postgres_links import Link

NEAR, FAR, ALIAS = "10.213.77.1", "10.213.77.2", "10.213.78.1"
"""The ends of the cable, and an address of ours that stays when the cable is cut."""
NETWORKS = f'"127.0.0.0/8", "{ALIAS}/32"'


class Relay(Link):
    """The same, at the address that a daemon elsewhere reaches."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, ALIAS, 0)
        return self


@contextlib.contextmanager
def links(made: Sequence[Link]) -> Iterator[Sequence[Link]]:
    """They forward while the context lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def end() -> None:
        for link in made:
            await link.__aexit__(None)
        await asyncio.sleep(0)

    try:
        for link in made:
            asyncio.run_coroutine_threadsafe(link.__aenter__(), loop).result(10)
        yield made
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


class Away(Daemon):
    """A daemon in a network namespace of its own."""

    @property
    def base_url(self) -> str:
        return f"http://{FAR}:{self.port}"

    def command(self) -> list[str]:
        return [FAR if word == HOST else word for word in super().command()]


class Cable:
    """Between this network and a namespace."""

    def __init__(self) -> None:
        number = os.getpid() % 100_000
        self.namespace, self._near, self._far = f"jackfield{number}", f"jf{number}n", f"jf{number}f"

    def __enter__(self) -> Self:
        if shutil.which("ip") is None:
            pytest.skip("there is no program `ip`, which makes network namespaces")
        try:
            self._ip("netns", "add", self.namespace)
        except subprocess.CalledProcessError as exc:
            pytest.skip(f"network namespaces are not permitted here: {exc.stderr.strip()}")
        try:
            self._connect()
        except subprocess.CalledProcessError as exc:
            self.__exit__()
            pytest.skip(f"a virtual cable into a network namespace is not permitted here: {exc.stderr.strip()}")
        return self

    def _connect(self) -> None:
        self._ip("link", "add", self._near, "type", "veth", "peer", "name", self._far)
        self._ip("link", "set", self._far, "netns", self.namespace)
        self._ip("addr", "add", f"{NEAR}/30", "dev", self._near)
        self._ip("addr", "add", f"{ALIAS}/32", "dev", "lo")
        self._ip("link", "set", self._near, "up")
        there = ("-n", self.namespace)
        self._ip(*there, "addr", "add", f"{FAR}/30", "dev", self._far)
        self._ip(*there, "link", "set", "lo", "up")
        self._ip(*there, "link", "set", self._far, "up")
        self._ip(*there, "route", "add", "default", "via", NEAR)

    def __exit__(self, *_: object) -> None:
        for words in (
            ("netns", "del", self.namespace),
            ("link", "del", self._near),
            ("addr", "del", f"{ALIAS}/32", "dev", "lo"),
        ):
            with contextlib.suppress(subprocess.CalledProcessError):
                self._ip(*words)

    @property
    def prefix(self) -> list[str]:
        """In front of a command that is to run there."""
        return ["ip", "netns", "exec", self.namespace]

    def cut(self) -> None:
        """Nothing comes through, and nobody is told."""
        self._ip("link", "set", self._near, "down")

    def mend(self) -> None:
        self._ip("link", "set", self._near, "up")

    def _ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
