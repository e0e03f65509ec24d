"""What vendors' forms write is what n8n keeps: its own NodeHelpers.getNodeParameters opens their documents."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from jackfield.testing.context import FakeContext
from jackfield_vendors.catalogue import KINDS, SHIPPED
from jackfield_vendors.library import node_in

from . import installing
from .form_documents import documents

SCRIPT = Path(__file__).with_name("kept.js")
SECONDS = 120
LEAST = 0.98
"""The others are parameters that only this project's nodes have, and times of polling, which n8n adds on its own."""


def test_n8n_keeps_what_the_forms_write(tmp_path: Path) -> None:
    try:
        command, place = [installing.node(), str(SCRIPT)], installing.directory()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    asked = [
        {"kind": kind, "version": version, "values": values}
        for kind in KINDS
        for version, values in documents(node_in(FakeContext(tmp_path), SHIPPED / f"{kind.replace('/', '__')}.toml"))
    ]
    given = json.dumps(asked).encode()
    done = subprocess.run(command, cwd=place, input=given, capture_output=True, timeout=SECONDS, check=True)
    dropped: Counter[str] = Counter()
    total = 0
    for one, answer in zip(asked, json.loads(done.stdout), strict=True):
        if answer is not None:
            total += answer["all"]
            dropped.update(f"{one['kind']} {path}" for path in answer["dropped"])
    lost = dropped.total()
    print(
        f"\n{total - lost} of {total} values kept ({100 * (total - lost) / total:.2f} %)",
        *dropped.most_common(40),
        sep="\n",
    )
    assert total > 15_000
    assert total - lost >= LEAST * total
