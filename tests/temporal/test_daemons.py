"""Daemons that have Temporal for their engine: calls, waits, cancels, deaths and restarts, with the real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import Part, chain, node, set_fields, webhook
from jackfield.testing.temporal import TemporalServer, temporal_server

from .conftest import SECRET
from .gates import Gates

StartDaemon = Callable[..., Daemon]
PATIENCE = 40.0
"""Seconds for a take-over: heartbeat, lease and the patience of queues, on a machine with other work."""


def asks(outside: Gates, step: str) -> Part:
    """A node with an effect."""
    return node(step, "httpRequest", {"method": "GET", "url": f"{outside.url}/{step}", "options": {}}, version=4.2)


def waits(**parameters: Any) -> Part:  # Any: whatever the node has
    return node("Wait", "wait", parameters, version=1.1)


def begun(daemon: Daemon, path: str = "begin") -> str:
    """Call the webhook; the execution's id."""
    answer = daemon.client().post(f"/webhook/{path}", json={"secret": SECRET})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["executionId"])


def status(api: httpx.Client, ident: str) -> str:
    return str(api.get(f"/executions/{ident}").json()["status"])


def until(api: httpx.Client, ident: str, wanted: str) -> None:
    poll(lambda: status(api, ident) == wanted, f"the execution is {wanted}", timeout=PATIENCE)


def in_temporal(temporal: TemporalServer, ident: str) -> str:
    """The status that Temporal shows."""
    return str(asyncio.run(temporal.describe(ident)).status.name)


def ready(daemon: Daemon) -> str:
    """What the daemon says of Temporal."""
    return str(daemon.client().get("/ready").json()["checks"]["temporal"])


def test_a_call_runs_to_its_end_and_its_caller_is_answered(
    new_daemon: StartDaemon, temporal: TemporalServer, outside: Gates
) -> None:
    """Of two daemons the one that was called runs it, as its caller waits there for a node's answer."""
    daemons = new_daemon(), new_daemon()
    answering = node(
        "Answer", "respondToWebhook", {"respondWith": "json", "responseBody": '={{ {"n": 7} }}'}, version=1.1
    )
    daemons[0].live(chain("Answers", webhook("answers", responseMode="responseNode"), asks(outside, "one"), answering))
    daemons[0].live(chain("Ends", webhook("ends", responseMode="lastNode"), set_fields("Set", said="end")))
    for daemon in daemons:
        caller = daemon.client(timeout=PATIENCE)
        poll(lambda caller=caller: caller.post("/webhook/answers", json={}).status_code == 200, "it serves")  # type: ignore[misc]
        for _ in range(4):
            assert caller.post("/webhook/answers", json={}).json() == {"n": 7}
            assert caller.post("/webhook/ends", json={}).json()[0]["said"] == "end"


def test_waits_are_timers_and_signals_and_no_secret_comes_to_temporal(
    new_daemon: StartDaemon, temporal: TemporalServer
) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    document = chain(
        "Waits",
        webhook("begin"),
        set_fields("Url", url="={{ $execution.resumeUrl }}"),
        waits(resume="webhook"),
        set_fields("Between", said="={{ $json.query.say }}"),
        node("Later", "wait", {"resume": "timeInterval", "amount": 2, "unit": "seconds"}, version=1.1),
        set_fields("After", said="={{ $('Between').item.json.said }}", secret=SECRET),
    )
    daemon.live(document, api)
    ident = begun(daemon)
    until(api, ident, "waiting")
    url = api.get(f"/executions/{ident}").json()["nodes"]["Url"][0]["outputs"][0][0]["json"]["url"]
    path = str(url).removeprefix(daemon.base_url)
    client = daemon.client()
    assert client.get(f"{path}?say=yes").status_code == 200
    assert client.get(f"{path}?say=no").status_code == 409, "one call wakes it"
    until(api, ident, "success")
    assert api.get(f"/executions/{ident}").json()["data"][0]["json"]["said"] == "yes"
    poll(lambda: in_temporal(temporal, ident) == "COMPLETED", "Temporal knows of the end", timeout=PATIENCE)
    history = asyncio.run(temporal.history(ident))
    assert "TIMER_STARTED" in history
    assert "WORKFLOW_EXECUTION_SIGNALED" in history
    for hidden in (SECRET, "Between", "Waits", "yes", str(daemon.config_dir)):
        assert hidden not in history


def test_a_cancel_ends_it_on_both_sides(new_daemon: StartDaemon, temporal: TemporalServer, outside: Gates) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    daemon.live(chain("Runs", webhook("runs"), asks(outside, "held"), set_fields("After", n="1")), api)
    daemon.live(chain("Waits", webhook("waits"), waits(resume="webhook"), set_fields("After", n="1")), api)
    outside.opened.clear()
    running, waiting, by_temporal = begun(daemon, "runs"), begun(daemon, "waits"), begun(daemon, "waits")
    poll(lambda: outside.asked == ["/held"], "its node is in flight", timeout=PATIENCE)
    until(api, waiting, "waiting")
    until(api, by_temporal, "waiting")
    for ident in (running, waiting):
        assert api.post(f"/executions/{ident}/cancel").is_success
        until(api, ident, "cancelled")
        poll(lambda ident=ident: in_temporal(temporal, ident) == "COMPLETED", "Temporal knows", timeout=PATIENCE)  # type: ignore[misc]
    asyncio.run(temporal.cancel(by_temporal))
    until(api, by_temporal, "cancelled")


def test_a_workflow_that_somebody_terminates_in_temporal_is_begun_anew(
    new_daemon: StartDaemon, temporal: TemporalServer
) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    wait = waits(resume="timeInterval", amount=3, unit="seconds")
    daemon.live(chain("Waits", webhook("begin"), wait, set_fields("After", n="1")), api)
    ident = begun(daemon)
    until(api, ident, "waiting")
    asyncio.run(temporal.terminate(ident))
    assert in_temporal(temporal, ident) == "TERMINATED"
    until(api, ident, "success")
    poll(lambda: in_temporal(temporal, ident) == "COMPLETED", "Temporal knows of the end", timeout=PATIENCE)


def test_a_drained_daemon_takes_calls_that_others_run(new_daemon: StartDaemon, outside: Gates) -> None:
    first, second = new_daemon(), new_daemon()
    first.live(chain("Ends", webhook("ends", responseMode="lastNode"), asks(outside, "one"), set_fields("Set", n="1")))
    client, caller = second.client(), first.client(timeout=PATIENCE)
    poll(lambda: caller.post("/webhook/ends", json={}).json()[0]["n"] == "1", "it serves")

    def host() -> dict[str, Any]:  # Any: JSON
        rows = client.get("/api/hosts").json()["data"]
        return next(row for row in rows if row["address"] == first.base_url)

    assert client.post(f"/api/hosts/{host()['name']}/drain").is_success
    poll(lambda: host()["state"] == "draining", "it is drained", timeout=PATIENCE)
    assert caller.post("/webhook/ends", json={}).json()[0]["n"] == "1"
    assert outside.asked == ["/one"] * 2


def test_another_daemon_takes_over_what_a_killed_one_ran(new_daemon: StartDaemon, outside: Gates) -> None:
    """In the middle of a segment: behind the last checkpoint."""
    first, second = new_daemon(), new_daemon()
    steps = asks(outside, "one"), set_fields("Between", n="1"), asks(outside, "two"), asks(outside, "three")
    first.live(chain("Steps", webhook("begin"), *steps))
    outside.held.add("/two")
    ident = begun(first)
    poll(lambda: outside.asked == ["/one", "/two"], "the second effect is in flight", timeout=PATIENCE)
    first.kill()
    outside.released.set()
    until(second.admin(), ident, "success")
    assert outside.asked == ["/one", "/two", "/two", "/three"], "what was checkpointed does not run again"


def test_a_killed_daemon_goes_on_after_its_restart(new_daemon: StartDaemon, outside: Gates) -> None:
    daemon = new_daemon()
    daemon.live(chain("Held", webhook("begin"), asks(outside, "one"), asks(outside, "held")))
    daemon.live(chain("Waits", webhook("waits"), waits(resume="timeInterval", amount=3, unit="seconds")))
    outside.opened.clear()
    held, waiting = begun(daemon), begun(daemon, "waits")
    poll(lambda: outside.asked == ["/one"], "its node is in flight", timeout=PATIENCE)
    daemon.kill()
    outside.opened.set()
    daemon.start()
    api = daemon.admin()
    until(api, held, "success")
    until(api, waiting, "success")
    assert outside.asked.count("/held") == 1


def test_an_orderly_restart_runs_no_effect_twice(new_daemon: StartDaemon, outside: Gates) -> None:
    daemon = new_daemon()
    daemon.live(
        chain(
            "Steps",
            webhook("begin"),
            asks(outside, "one"),
            waits(resume="timeInterval", amount=2, unit="seconds"),
            asks(outside, "two"),
        )
    )
    idents = [begun(daemon) for _ in range(3)]
    poll(lambda: outside.asked.count("/one") == 3, "they wait", timeout=PATIENCE)
    api = daemon.admin()
    for ident in idents:
        until(api, ident, "waiting")
    assert daemon.stop() == 0
    daemon.start()
    api = daemon.admin()
    for ident in idents:
        until(api, ident, "success")
    assert sorted(outside.asked) == ["/one"] * 3 + ["/two"] * 3


def test_calls_are_accepted_while_temporal_is_away(new_daemon: StartDaemon) -> None:
    with temporal_server() as server:
        server.kill()
        daemon = new_daemon(server=server)
        api = daemon.admin()
        daemon.live(chain("Waits", webhook("begin"), set_fields("Set", n="1")), api)
        ident = begun(daemon)
        poll(lambda: "does not answer; start it" in daemon.tail(100_000), "the log says so", timeout=PATIENCE)
        assert "does not answer" in ready(daemon)
        assert status(api, ident) == "queued"
        server.start()
        until(api, ident, "success")
        poll(lambda: ready(daemon) == "ok", "it is well again")
        server.kill()
        second = begun(daemon)
        server.start()
        until(api, second, "success")
