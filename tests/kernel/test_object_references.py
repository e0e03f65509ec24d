"""What plugins put off stands where they say."""

from __future__ import annotations

import inspect
import re
from collections import OrderedDict
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from jackfield.api.errors import ConfigurationError
from jackfield.api.object_references import load, reference_of
from jackfield.api.offers import load_driver
from jackfield.api.plugin import Plugin

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
PLACES = [
    reference
    for path in PLUGINS.glob("jackfield_*/__init__.py")
    for reference in re.findall(r'(?:later|deferred)\("(jackfield_[\w.]+:\w+)"\)', path.read_text())
]


@pytest.mark.parametrize("reference", PLACES)
def test_what_a_plugin_puts_off_takes_its_context(reference: str) -> None:
    found = load(reference)
    if callable(found):
        assert list(inspect.signature(found).parameters) in (["context"], ["_context"])


@pytest.mark.parametrize("point", list(entry_points(group="jackfield")), ids=lambda point: str(point.name))
def test_commands_settings_parts_and_ports_are_there(point: object) -> None:
    offered: type[Plugin] = point.load()  # type: ignore[attr-defined]
    assert all(table.model is not None for table in offered.settings)
    references = [*offered.commands, *offered.parts, *offered.provides.values()]
    assert [reference for reference in references if load(reference) is None] == []


@pytest.mark.parametrize(
    ("reference", "error", "says"),
    [
        ("jackfield.api.object_references", ValueError, "package.module:name"),
        (":load", ValueError, "package.module:name"),
        ("jackfield.api.gone:load", ImportError, "gone"),
        ("jackfield.api.object_references:gone", ImportError, "has no gone"),
    ],
)
def test_a_place_that_is_none_is_named(reference: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        load(reference)


def test_the_reference_of_a_class() -> None:
    assert load(reference_of(Plugin)) is Plugin


def test_a_driver_that_is_not_installed_is_told_with_its_remedy() -> None:
    assert load_driver("collections:OrderedDict", "unused") is OrderedDict
    with pytest.raises(ConfigurationError, match="install it") as told:
        load_driver("no_such_library.here:Thing", "install it")
    assert isinstance(told.value.__cause__, ModuleNotFoundError)
