"""A public workflow that was imported and exported again does in n8n what it did there before."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.nodes.secret_values import MASK

from .comparing import Comparison
from .engines import Engine, RoundTrip
from .families import corpus

KEPT = ("name", "type", "typeVersion", "position", "parameters", "credentials", "disabled", "onError", "webhookId")
SHOWN = 20


def test_exports_run_in_n8n_as_their_originals(sides: tuple[Engine, Engine]) -> None:
    ours, theirs = sides
    cases = [case for family in corpus.FAMILIES for case in family.cases()]
    if not cases:
        pytest.skip("JACKFIELD_TEST_CORPUS names no corpus")
    found = list(Comparison(RoundTrip(ours, theirs), theirs).differences(cases))
    shown = "\n   ".join(map(str, found[:SHOWN]))
    assert not found, f"{len(found)} of {len(cases)} exports differ in n8n:\n   {shown}"


def test_exports_of_the_whole_corpus_are_their_originals(sides: tuple[Engine, Engine]) -> None:
    """But for secrets, which are left out."""
    trip = RoundTrip(*sides)
    for name, _, given in corpus.workflows():
        found = trip.exported(given)
        assert found["connections"] == given["connections"], name
        for one, other in zip(found["nodes"], given["nodes"], strict=True):
            for key in KEPT:
                if key in other:
                    assert one[key] == _as_left_out(other[key], one[key]), f"{name}, {other['name']}, {key}"


def _as_left_out(given: Any, found: Any) -> Any:
    """What was given, with the mask where the export has it."""
    if found == MASK and isinstance(given, str):
        return MASK
    if isinstance(given, dict) and isinstance(found, dict):
        return {key: _as_left_out(value, found.get(key)) for key, value in given.items()}
    if isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        return [_as_left_out(one, other) for one, other in zip(given, found, strict=True)]
    return given
