"""Every family that is compared, in the order of the table."""

from __future__ import annotations

from .cases import Family
from .families import expressions

FAMILIES: tuple[Family, ...] = (*expressions.FAMILIES,)
