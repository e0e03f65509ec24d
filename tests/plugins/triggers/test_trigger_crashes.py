"""kill -9 at any moment, restarts, and services that forget: no event is lost, none starts twice."""

from __future__ import annotations

import random
import time

from trigger_lab import numbers, polling, subscribing, until

from jackfield.testing.daemon import Daemon
from jackfield.testing.vendor import Drop, Refuse, Repeated, Slow, VendorDouble


def test_kill_9_between_polls_loses_none_and_doubles_none(daemon: Daemon, vendor: VendorDouble) -> None:
    vendor.add(3)
    workflow = daemon.live(polling())
    until(lambda: vendor.asked("/items"), "the first poll")
    until(lambda: daemon.admin().get(f"/workflows/{workflow}/triggers").json()["data"][0].get("next"), "its end")
    chance = random.Random(7)
    for round_ in range(5):
        vendor.misbehave(*chance.sample([Repeated(), Slow(0.1), Drop(), Refuse(500), Slow(0.02)], 2))
        before = len(vendor.asked("/items"))
        vendor.add(2)
        until(lambda before=before: len(vendor.asked("/items")) > before, f"a poll of round {round_}")
        time.sleep(chance.random() * 0.12)  # somewhere between the answer and the end of the execution
        daemon.kill()
        vendor.add(2)
        daemon.start()
    api = daemon.admin()
    until(lambda: len(numbers(api, workflow)) >= 20, "all items", timeout=40)
    assert sorted(numbers(api, workflow)) == list(range(4, 24))


def test_a_subscription_outlives_kill_9_and_is_mended(daemon: Daemon, vendor: VendorDouble) -> None:
    workflow = daemon.live(subscribing())
    assert vendor.send({"id": "e1", "n": 1}) == [200]
    daemon.kill()
    vendor.forget()
    daemon.start()
    until(lambda: vendor.hooks, "the lost subscription is made anew", timeout=45)
    assert vendor.send({"id": "e1", "n": 1}) == [200]
    assert vendor.send({"id": "e2", "n": 2}) == [200]
    api = daemon.admin()
    until(lambda: len(numbers(api, workflow)) == 2, "both events")
    assert numbers(api, workflow) == [1, 2]


def test_a_deleted_workflow_is_unsubscribed_after_a_restart_too(daemon: Daemon, vendor: VendorDouble) -> None:
    workflow = daemon.live(subscribing())
    assert len(vendor.hooks) == 1
    vendor.always = Refuse(503)
    daemon.admin().delete(f"/workflows/{workflow}").raise_for_status()
    daemon.kill()
    daemon.start()
    (hook,) = vendor.hooks
    asked = len(vendor.asked(f"/hooks/{hook}", "DELETE"))
    until(lambda: len(vendor.asked(f"/hooks/{hook}", "DELETE")) > asked, "it is asked again after the restart")
    assert len(vendor.hooks) == 1
    vendor.always = None
    until(lambda: not vendor.hooks, "the subscription has ended", timeout=45)
    assert vendor.send({"id": "e1", "n": 1}) == []
