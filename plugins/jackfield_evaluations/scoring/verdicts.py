"""Values that scorers give, as scores."""

from __future__ import annotations

from typing import TypeGuard

from jackfield.api.jsontext import Json
from jackfield_evaluations.records import RowScore

LONGEST_REASON = 2000
"""Characters that are kept."""


MOST_OF_NUMBER = 1e300
"""Of what is taken for a number: sums over many rows stay finite, as JSON has no word for what is not."""


class ScorerFailed(Exception):
    """A scorer gave no score. message: a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST_OF_NUMBER


def scored(name: str, value: Json) -> RowScore:
    """Of a number from 0 to 1, true or false, or `{score, reason}`. Raises `ScorerFailed`."""
    reason = ""
    if isinstance(value, dict):
        told = value.get("reason")
        reason, value = told if isinstance(told, str) else "", value.get("score")
    if isinstance(value, bool):
        return RowScore(name, float(value), reason[:LONGEST_REASON])
    if not is_number(value):
        raise ScorerFailed("It gave no number; give a number from 0 to 1, true or false, or {score, reason}.")
    if not 0 <= value <= 1:
        raise ScorerFailed(f"It gave {value:g}; give a number from 0 to 1.")
    return RowScore(name, float(value), reason[:LONGEST_REASON])


def on_scale(value: Json, lowest: float, highest: float) -> float:
    """0 at the lowest, 1 at the highest; beyond them as at them. Raises `ScorerFailed`."""
    if not is_number(value):
        raise ScorerFailed("There is no number.")
    return min(max((value - lowest) / (highest - lowest), 0.0), 1.0)
