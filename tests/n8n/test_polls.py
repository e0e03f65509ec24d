"""Polling triggers beside n8n's own nodes: after the first poll both ask alike, and give the same items for the same
answers. Times in queries are not compared, which differ by when each side asked before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.plugins.triggers.vendor_trigger_lab import VendorTriggerLab

from jackfield.testing.vendor import VendorDouble

from . import installing
from .further_poll_cases import CASES as FURTHER
from .more_poll_cases import CASES as MORE
from .poll_cases import CASES as FIRST
from .poll_cases import SINCE
from .test_subscriptions import answered, comparable, given, of_n8n, seen_by
from .trigger_cases import TriggerCase

CASES = [*FIRST, *MORE, *FURTHER]
BEFORE = int(datetime.fromisoformat(SINCE).timestamp() * 1000)
MINUTE = 60_000
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


@pytest.fixture(scope="module")
def theirs() -> Mapping[str, dict[str, Any]]:
    """Label of a case -> what n8n's node did at its second poll."""
    asked = [given(case, "poll", static={"lastTimeChecked": SINCE, **case.state}) for case in CASES]
    try:
        found = of_n8n(asked)
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    return {case.label: one for case, one in zip(CASES, found, strict=True)}


@pytest.fixture
def vendor() -> Iterator[VendorDouble]:
    with VendorDouble() as double:
        yield double


def emptied(body: Any) -> Any:
    """An answer before anything was there."""
    if isinstance(body, dict):
        return {name: [] if isinstance(value, list) else value for name, value in body.items()}
    return [] if isinstance(body, list) else body


def timeless(requests: list[Any]) -> list[Any]:
    """Without times, and without the size of a page, of which each side has its own."""
    return [
        (method, path, {n: TIME.sub("TIME", v) for n, v in query.items() if n not in ("pageSize", "maxResults")}, body)
        for method, path, query, body in requests
    ]


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
async def test_a_poll_is_as_in_n8n(
    case: TriggerCase, theirs: Mapping[str, dict[str, Any]], vendor: VendorDouble, tmp_path: Path
) -> None:
    lab = VendorTriggerLab(tmp_path, vendor)
    node = lab.poller(case.kind, "{service}" + case.base)
    state: dict[str, Any] = {}
    for reply in case.replies:
        nothing = emptied(reply.body)
        vendor.answers[unquote(reply.path)] = lambda seen, nothing=nothing: nothing
    assert not (await lab.poll(node, case.parameters, state, version=case.version, now=BEFORE)).items
    vendor.seen.clear()
    answered(vendor, case)
    ours = (await lab.poll(node, case.parameters, state, version=case.version, now=BEFORE + MINUTE)).items
    found = theirs[case.label]
    assert "error" not in found, found
    asked = timeless(comparable(seen_by(vendor), case))
    if not case.unlike:
        assert asked == timeless(comparable(found["requests"], case))

    def ordered(items: Any) -> list[Any]:
        return sorted((item["json"] for item in items or ()), key=str)

    assert ordered(ours) == ordered(found["items"])
    assert [sorted(item.get("binary", ())) for item in ours] == [
        sorted(item.get("binary", ())) for item in found["items"] or ()
    ]
    again = await lab.poll(node, case.parameters, state, version=case.version, now=BEFORE + 2 * MINUTE)
    assert not again.items
