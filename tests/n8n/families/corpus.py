"""Public workflows, behind each of their triggers. They stay outside of this repository.

Nodes that need a network, a credential, a file, a person, the clock or chance give made data instead; see
`public/cutting.py`. JACKFIELD_TEST_CORPUS names the directory of the workflows; without it there are no cases.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from ..cases import Document, Family, WorkflowCase
from ..public.cutting import parts
from ..public.samples import items

BESIDE = Path(__file__).parents[4] / "shared" / "corpus"


def workflows() -> Iterator[tuple[str, bool, Document]]:
    """Each with its name and whether it runs without anything of the kind."""
    place = Path(os.environ.get("JACKFIELD_TEST_CORPUS") or BESIDE)
    index = place / "index.json"
    for one in json.loads(index.read_text())["files"] if index.is_file() else ():
        document = json.loads((place / "workflows" / one["file"]).read_text())
        yield f"{one['file']} {one['name']}", one["offline_core"], document


def _corpus() -> Iterator[WorkflowCase]:
    for name, _, document in workflows():
        given = items(document)
        for trigger, part in parts(document, given[0]["json"]):
            yield WorkflowCase(f"{name.partition(' ')[0]} {trigger}", part, given)


FAMILIES = (Family("Public workflows", _corpus),)
