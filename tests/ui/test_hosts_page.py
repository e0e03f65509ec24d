"""The daemons that share a store, and how one of them is drained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.postgres import PostgresServer

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def daemon(jackfield_postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The first of two."""
    schema, place = jackfield_postgres.new_name(), tmp_path_factory.mktemp("hosts")
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": "k" * 40}
    made = []
    try:
        for name, more in (("alpha", ""), ("beta", 'labels = ["gpu"]\n[daemon]\nroles = ["agents"]\n')):
            settings = (
                f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\nreaders = 2\n'
                f'[hosts]\nname = "{name}"\nrenewal_interval = 0.2\n{more}'
            )
            made.append(Daemon(place / name, settings=settings, env=env))
            made[-1].start()
        client = made[0].client()
        poll(lambda: len(client.get("/api/hosts").json()["data"]) == 2, "alpha knows beta")
        yield made[0]
    finally:
        for one in made:
            one.close()


def test_a_host_is_drained_and_resumed(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation").get_by_role("link", name="Hosts").click()
    table = page.get_by_role("table", name="Hosts")
    beta = table.get_by_role("row").filter(has_text="beta")
    for text in ("agents", "gpu", "0 of 8 agents", "Ready"):
        beta.get_by_text(text, exact=True).first.wait_for()
    table.get_by_role("row").filter(has_text="alpha").get_by_text("(this one)").wait_for()
    beta.get_by_role("button", name="Drain beta").click()
    dialog = page.get_by_role("dialog", name="Drain the host “beta”?")
    dialog.get_by_role("button", name="Drain").click()
    beta.get_by_text("Draining", exact=True).wait_for()
    beta.get_by_role("button", name="Resume beta").click()
    beta.get_by_text("Ready", exact=True).wait_for()
