"""n8n's own nodes and Jackfield's before the same servers: each step's items and failures are equal, or the difference
is listed with its reason."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from . import engines
from .cases import NodeCase, place_of
from .engines import Engine, run_data
from .installing import NotThere
from .normal import runs, text
from .service_cases import MARKS, SERVICES, SIDE, Service, Step
from .service_servers import SERVERS

LIST = Path(__file__).with_name("services.toml")
SETTINGS = (
    '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n\n[integrations]\nallowed_hosts = ["127.0.0.1", "localhost"]\n'
)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_steps_are_those_of_n8n(service: Service, tmp_path: Path) -> None:
    with SERVERS[service.server](tmp_path) as given:
        try:
            with engines.n8n(tmp_path, given) as theirs:
                expected = [shown(theirs, step) for step in service.steps]
        except NotThere as exc:
            pytest.skip(str(exc))
        with engines.jackfield(tmp_path / "jackfield", given, SETTINGS) as ours:
            found = [shown(ours, step) for step in service.steps]
    listed = known(service.name)
    different = {
        name: f"{name}\n      n8n        {one}\n      Jackfield  {other}"
        for name, one, other in zip(names(service.steps), expected, found, strict=True)
        if one != other
    }
    unlisted = [told for name, told in different.items() if name not in listed]
    assert not unlisted, f"{len(unlisted)} steps differ and are not listed:\n   " + "\n   ".join(unlisted)
    assert not [name for name in listed if name not in different], "listed, and nothing differs"


def known(service: str) -> Mapping[str, str]:
    """Step -> why it differs."""
    entries = tomllib.loads(LIST.read_text())["difference"]
    return {name: one["why"] for one in entries if one["service"] == service for name in one["steps"]}


def names(steps: Sequence[Step]) -> Iterator[str]:
    for place, step in enumerate(steps):
        given = step.node["parameters"]
        yield f"{place} {given.get('resource', '')} {given.get('operation', '')}".replace("  ", " ").strip()


def shown(engine: Engine, step: Step) -> str:
    """What the step gave, without what is each side's own."""
    mark = MARKS[engine.name]
    case = json.loads(json.dumps([NodeCase("step", step.node, step.items).document(), step.items]).replace(SIDE, mark))
    data = run_data(engine.run(case[0], case[1]))
    given = text(runs(_without(data.get(place_of(0), []), step.volatile), texts=False))
    return re.sub(r"sidemark|127\.0\.0\.1:[0-9]+", "", given.replace(mark, SIDE))


def _without(value: Any, names: Sequence[str]) -> Any:
    """The value with nothing but the kind of what stands under these names."""
    if isinstance(value, dict):
        return {key: type(one).__name__ if key in names else _without(one, names) for key, one in value.items()}
    return [_without(one, names) for one in value] if isinstance(value, list) else value
