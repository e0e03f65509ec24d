"""The program of an earlier commit."""

from __future__ import annotations

import os

from jackfield.testing.daemon import Daemon

PREVIOUS = os.environ.get("JACKFIELD_TEST_PREVIOUS", "")
"""Path of the earlier program, in a virtual environment of its own."""


class UpgradedDaemon(Daemon):
    """Starts as the earlier program until `upgraded` is set."""

    upgraded = False

    def command(self) -> list[str]:
        made = super().command()
        return made if self.upgraded else [PREVIOUS, *made[1:]]
