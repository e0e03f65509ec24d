"""Start what `deploy/compose.yaml` names without containers, call a webhook, and kill a daemon under way; and the same
with what the Helm chart names: two pods with flows and one with agents.

    python tests/deployment/run.py

Exit code 0: every call was answered, every execution of an answered call has ended, and the daemons that were left
stop in order.
"""

from __future__ import annotations

import secrets
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

import httpx
from composed import DEPLOY, Composed, of_chart, of_compose, started

from jackfield.testing.daemon import PASSWORD, USERNAME, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

CALLS = 40
"""Half of them before the kill, half behind it."""
PATH = "composed"


def admin(made: Composed) -> httpx.Client:
    with made.client() as client:
        answer = client.post("/api/v1/auth/login", json={"username": USERNAME, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return made.client(Authorization=f"Bearer {answer.json()['token']}")


def live(api: httpx.Client) -> None:
    """A workflow whose executions wait a moment, so that the kill meets some of them."""
    pause = node("Wait", "wait", {"resume": "timeInterval", "amount": 1, "unit": "seconds"}, version=1.1)
    document = chain("Composed", webhook(PATH), pause, set_fields("Set", done=True))
    saved = api.post("/api/v1/workflows", json=document)
    assert saved.status_code == 201, saved.text
    active = api.post(f"/api/v1/workflows/{saved.json()['id']}/activate")
    assert active.status_code == 200, active.text


def call(made: Composed, count: int) -> None:
    """Each until it is answered. Caddy up to 2.11.1 answers 502 to a POST whose connection was refused (issue 7546 of
    caddyserver/caddy), and then 503, both without a body, until it has noticed which daemon is gone. Such a call has
    reached nobody."""
    with made.client() as client:
        for number in range(count):
            poll(partial(called, client, number), "the call is answered")


def called(client: httpx.Client, number: int) -> bool:
    answer = client.post(f"/webhook/{PATH}", json={"n": number})
    if answer.status_code in (502, 503) and not answer.content:
        return False
    assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
    return True


def hosts(api: httpx.Client) -> dict[str, list[str]]:
    answer = api.get("/api/hosts")
    assert answer.status_code == 200, answer.text
    return {host["name"]: host["roles"] for host in answer.json()["data"]}


def statuses(api: httpx.Client) -> list[str]:
    answer = api.get("/api/v1/executions", params={"limit": 200})
    return [row["status"] for row in answer.json()["data"]] if answer.status_code == 200 else []


def run(made: Composed) -> str:
    """The name of the daemon that was killed: the first that takes calls."""
    victim = next(name for name, daemon in made.daemons.items() if "ingress" in daemon.given["JACKFIELD_DAEMON_ROLES"])
    left = [name for name in made.daemons if name != victim]
    with admin(made) as api:
        found = poll(
            lambda: here if (here := hosts(api)).keys() == made.daemons.keys() else None, "all know each other"
        )
        for name, daemon in made.daemons.items():
            assert set(found[name]) == set(daemon.given["JACKFIELD_DAEMON_ROLES"].split(",")), found
        assert sum("agents" in found[name] for name in left) == 1, found
        metrics = api.get("/metrics").text
        assert 'jackfield_host_slots{role="flows"}' in metrics, metrics
        live(api)
        call(made, CALLS // 2)
        made.daemons[victim].kill()
        call(made, CALLS // 2)
        ended = ["success"] * CALLS
        poll(lambda: sorted(statuses(api)) == ended, "every execution has ended well", timeout=60)
    for name in left:
        assert made.daemons[name].stop(60) == 0, f"{name}, which is left, stops in order"
    assert made.daemons[victim].wait(0) == -signal.SIGKILL
    return victim


def main() -> int:
    env = {
        "POSTGRES_PASSWORD": secrets.token_hex(16),
        "JACKFIELD_ENCRYPTION_KEY": secrets.token_urlsafe(32),
        "JACKFIELD_ADMIN_USERNAME": USERNAME,
        "JACKFIELD_ADMIN_PASSWORD": PASSWORD,
    }
    caddyfile = (DEPLOY / "Caddyfile").read_text()
    for kind, environments, balancing in (("compose", of_compose(env), caddyfile), ("chart", of_chart(env), "")):
        with (
            tempfile.TemporaryDirectory(prefix="jackfield-composed-") as place,
            started(Path(place), environments, env["POSTGRES_PASSWORD"], balancing) as made,
        ):
            try:
                victim = run(made)
            except BaseException:
                for name, daemon in made.daemons.items():
                    print(f"--- {name}", daemon.tail(), sep="\n", file=sys.stderr)
                raise
            print(
                f"{kind}: {CALLS} calls answered and ended, {victim} killed after {CALLS // 2} of them.",
                *made.notes,
                sep="\n",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
