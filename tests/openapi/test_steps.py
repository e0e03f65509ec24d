"""Requests one after another, each with what the ones before have made: `tox -e openapi` and `tox -e fuzz` alone.

`JACKFIELD_TEST_OPENAPI_SCENARIOS`: how many, each of up to `STEPS` requests.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:
    from contract import Contract

SCENARIOS = int(os.environ.get("JACKFIELD_TEST_OPENAPI_SCENARIOS", "0"))
STEPS = 8


@pytest.mark.skipif(not SCENARIOS, reason="tox -e openapi")
def test_answers_stay_those_of_the_description(contract: Contract) -> None:
    from steps import machine_of

    machine_of(contract).run(
        settings=settings(
            max_examples=SCENARIOS,
            stateful_step_count=STEPS,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
    )
    print(f"{sum(contract.sent.values())} requests: {dict(sorted(contract.statuses.items()))}")
    assert not contract.broken, contract.report()
