"""Development and production: two daemons over one bare repository of real git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from jackfield.testing.daemon import Daemon

REFERENCE = "={{ $secrets.vault.app.key }}"


def run_git(*words: str, into: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(into), "GIT_CONFIG_NOSYSTEM": "1"}
    environment |= {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com"}
    environment |= {"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com"}
    run = subprocess.run(["git", *words], cwd=into, env=environment, capture_output=True, text=True, check=True)
    return run.stdout


@dataclass
class Place:
    """dev pushes to `main`; prod pulls from it and is read-only; root has the bare repository."""

    root: Path
    dev: Daemon
    prod: Daemon

    def __post_init__(self) -> None:
        self.here, self.there = self.dev.admin(), self.prod.admin()

    def dev_root(self) -> httpx.Client:
        """For paths outside `/api/v1`."""
        return self.dev.client(headers=dict(self.here.headers))

    def prod_root(self) -> httpx.Client:
        return self.prod.client(headers=dict(self.there.headers))

    def files(self) -> dict[str, str]:
        names = run_git("ls-tree", "-r", "--name-only", "main", into=self.root / "flows.git").split()
        return {name: run_git("show", f"main:{name}", into=self.root / "flows.git") for name in names}

    def commit(self, name: str, text: str | bytes | None, link: str = "") -> None:
        """As somebody else with a clone of their own."""
        clone = self.root / "clone"
        if not clone.exists():
            run_git("clone", "-q", "-b", "main", str(self.root / "flows.git"), str(clone), into=self.root)
        run_git("pull", "-q", into=clone)
        path = clone / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if link:
            path.symlink_to(link)
        elif text is None:
            path.unlink()
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        run_git("add", "-A", into=clone)
        run_git("commit", "-q", "-m", "By hand", into=clone)
        run_git("push", "-q", into=clone)


def two_environments(root: Path, of_dev: Mapping[str, str], of_prod: Mapping[str, str]) -> Iterator[Place]:
    """of_dev, of_prod: variables of their environments."""
    run_git("init", "-q", "--bare", "-b", "main", str(root / "flows.git"), into=root)
    settings = f'[git]\nurl = "file://{root}/flows.git"\ndirectory = "flows"\n'
    secrets = '[secrets.sources.vault]\nkind = "environment"\nprefix = "APP_"\n'
    dev = Daemon(root / "dev", settings=settings + secrets, env=of_dev)
    prod = Daemon(root / "prod", settings=f"{settings}read_only = true\n{secrets}", env=of_prod)
    try:
        yield Place(root, dev.start(), prod.start())
    finally:
        dev.close()
        prod.close()


def ok(answer: httpx.Response) -> Any:
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


def sides(api: httpx.Client) -> dict[str, str]:
    return {row["path"]: row["side"] for row in ok(api.get("/git"))["changes"]}
