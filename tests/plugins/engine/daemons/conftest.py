from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from daemons_lab import Hosts


@pytest.fixture
async def hosts(tmp_path: Path) -> Any:
    made = Hosts(tmp_path)
    yield made
    mine = asyncio.current_task()
    for host in made.all:
        host.line.off = True
        host.engine.services.timers.close()
    while tasks := [task for task in asyncio.all_tasks() if task is not mine]:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
