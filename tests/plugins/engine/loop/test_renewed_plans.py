"""A plan holds node types, which a community package's update replaces."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from jackfield.api.context import PluginContext
from jackfield.api.workflows import Workflow
from jackfield.testing.context import FakeContext
from jackfield_engine.loop import plans


class Renewals:
    renewals = 0


def test_plans_are_made_again_when_node_types_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "plan_of", lambda workflow, context: object())
    changing, workflow = Renewals(), cast("Workflow", object())
    context = FakeContext(tmp_path, ports={"ChangingNodes": changing})
    made = plans.Plans(cast("PluginContext", context), 5)
    first = made.of(workflow)
    assert made.of(workflow) is first
    changing.renewals += 1
    second = made.of(workflow)
    assert second is not first
    assert made.of(workflow) is second
