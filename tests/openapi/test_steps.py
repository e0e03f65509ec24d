"""Requests one after another, each with what the ones before have made: `tox -e openapi` and `tox -e fuzz` alone.

`JACKFIELD_TEST_OPENAPI_STEPS`: how many requests, at least.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.errors import Flaky

if TYPE_CHECKING:
    from contract import Contract

STEPS = int(os.environ.get("JACKFIELD_TEST_OPENAPI_STEPS", "0"))


@pytest.mark.skipif(not STEPS, reason="tox -e openapi")
def test_answers_stay_those_of_the_description(contract: Contract) -> None:
    from steps import machine_of

    machine = machine_of(contract)
    chosen = settings(
        max_examples=5,
        stateful_step_count=10,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for number in count():
        before = contract.sent.total()
        # A daemon remembers, so the same request may be answered otherwise in the next scenario: no fault here.
        with suppress(Flaky):
            seed(number)(machine).run(settings=chosen)
        assert contract.sent.total() > before, "a round without a request"
        if contract.sent.total() >= STEPS:
            break
    print(f"{contract.sent.total()} requests: {dict(sorted(contract.statuses.items()))}")
    assert not contract.broken, contract.report()
