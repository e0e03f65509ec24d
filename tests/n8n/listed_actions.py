"""All cases of services' actions."""

from __future__ import annotations

from collections.abc import Sequence

from . import airtop_cases, lead_cases
from .action_cases import ActionCase

CASES: Sequence[ActionCase] = [*airtop_cases.CASES, *lead_cases.CASES]
