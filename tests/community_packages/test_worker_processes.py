"""A package that one worker process has added is there in all of them; with their starts it takes long."""

from __future__ import annotations

from pathlib import Path

from npm_double import doubles

from jackfield.testing.daemon import Daemon, poll

ACME = "n8n-nodes-acme"


def test_every_worker_process_knows_it(tmp_path: Path) -> None:
    with doubles() as (npm, _, _):
        settings = f'[daemon]\nworkers = 2\n[community_nodes]\nregistry = "{npm.url}"\n'
        daemon = Daemon(tmp_path, settings=settings).start()
        try:
            token = {"Authorization": f"Bearer {daemon.login()}"}
            path = "/api/v1/community-nodes"
            added = daemon.client(headers=token, timeout=60).post(path, json={"name": ACME})
            assert added.status_code == 201, added.text
            clients = [daemon.client(headers=token) for _ in range(6)]  # connections, which worker processes share

            def known() -> bool:
                page = f"/api/v1/node-types/{ACME}.acme/page"
                return all(client.get(page).status_code == 200 for client in clients)

            poll(known, "every process knows the package")
        finally:
            daemon.close()
