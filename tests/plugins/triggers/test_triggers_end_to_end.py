"""The real daemon and a service that misbehaves: what is new starts the workflow once, whatever happens."""

from __future__ import annotations

from trigger_lab import numbers, polling, subscribing, until

from jackfield.testing.daemon import Daemon
from jackfield.testing.vendor import Drop, Garbage, Refuse, Reordered, Repeated, Slow, VendorDouble


def test_polls_tell_what_is_new_once(daemon: Daemon, vendor: VendorDouble) -> None:
    vendor.add(7)
    api = daemon.admin()
    workflow = daemon.live(polling(), api)
    until(lambda: api.get(f"/workflows/{workflow}/triggers").json()["data"][0].get("next"), "the first poll")
    vendor.misbehave(Refuse(429, 1), Garbage(), Repeated(), Drop(), Reordered(3), Slow(0.3), Refuse(503))
    for _ in range(4):
        vendor.add(3)
        count = len(vendor.items) - 7
        until(lambda count=count: len(numbers(api, workflow)) >= count, f"{count} items")
    assert sorted(numbers(api, workflow)) == list(range(8, 20))


def test_events_start_the_workflow_once(daemon: Daemon, vendor: VendorDouble) -> None:
    api = daemon.admin()
    workflow = daemon.live(subscribing(), api)
    (hook,) = vendor.hooks.values()
    assert hook.url == f"{daemon.base_url}/webhook/bell-1/webhook"
    assert vendor.send({"id": "e1", "n": 1}) == [200]
    assert vendor.send({"id": "e1", "n": 1}) == [200]
    assert vendor.send({"id": "e2", "n": 2}, secret="another") == [401]
    assert vendor.send({"id": "e3", "n": 3}) == [200]
    assert numbers(api, workflow) == [1, 3]
    (row,) = api.get(f"/workflows/{workflow}/triggers").json()["data"]
    assert (row["state"], row["events"], row["url"]) == ("live", 2, hook.url)
    api.post(f"/workflows/{workflow}/deactivate").raise_for_status()
    until(lambda: not vendor.hooks, "the subscription has ended")
