"""Every case gives what n8n gives, or its difference is listed."""

from __future__ import annotations

import pytest

from .cases import Family
from .comparing import Comparison
from .figures import Figures
from .listed import accepted, listed, problems
from .registry import FAMILIES

SHOWN = 60


def test_family(family: Family, comparison: Comparison, figures: list[Figures]) -> None:
    cases = list(family.cases())
    if not cases:
        pytest.skip("a program that n8n calls is not there")
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), sorted({name for name in names if names.count(name) > 1})
    found = list(comparison.differences(cases))
    different, known = {one.case for one in found}, accepted(family.name, names)
    figures.append(Figures(family.name, len(cases), len(different), len(different & known)))
    unlisted = [one for one in found if one.case not in known]
    shown = "\n   ".join(map(str, unlisted[:SHOWN]))
    assert not unlisted, f"{len(unlisted)} of {len(cases)} cases differ and are not listed:\n   {shown}"
    stale = problems(family.name, names, different)
    assert not stale, "\n".join(stale[:SHOWN])


def test_every_listed_difference_is_of_a_family() -> None:
    assert {entry.family for entry in listed()} <= {family.name for family in FAMILIES}
