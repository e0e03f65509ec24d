"""kill -9 in the middle of imports from n8n, each repeated until it ends: nothing half, nothing twice, links whole."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from ..e2e.conftest import StartDaemon
from .figures import Figures

sys.path.insert(0, str(Path(__file__).parents[1] / "plugins" / "migration"))

from broken_imports import CREDENTIALS, WORKFLOWS, broken_off, bundle, ended, wrongs

KILLS = 5
"""Of one import."""


@pytest.mark.scenario("imports", 100)
def test_imports(new_daemon: StartDaemon, figures: Figures, seed: int) -> None:
    figures.unit = f"kills in imports of {WORKFLOWS} workflows and {CREDENTIALS} credentials"
    chance = random.Random(seed)
    body, left, middle, imports = bundle(), figures.count, 0, 0
    while left:
        daemon = new_daemon()
        for _ in range(min(KILLS, left)):
            middle += broken_off(daemon, body, chance)
            left -= 1
        figures.violate(wrongs(daemon, body, ended(daemon, body)))
        daemon.close()
        imports += 1
    kinds = ("twice", "again", "half", "links", "report")
    counts = {kind: len(figures.violations.get(kind, ())) for kind in kinds}
    figures.note(imports=imports, in_the_middle=middle, **counts)
    figures.check()
