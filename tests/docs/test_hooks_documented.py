"""Every hook is documented, with its signature and a snippet that implements it; the page names no other hook."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest

from jackfield.api.hooks import PROJECT, Hooks

HOOKS: dict[str, Callable[..., object]] = {
    name: function for name, function in vars(Hooks).items() if hasattr(function, f"{PROJECT}_spec")
}


def section(page: str, name: str) -> str:
    """The text under the hook's heading."""
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"docs/plugins.md has no section {name}"
    return found[1]


def test_there_are_hooks() -> None:
    assert len(HOOKS) > 10


def test_the_page_names_no_hook_that_does_not_exist(plugin_page: str) -> None:
    assert set(re.findall(r"^### (jackfield_\w+)$", plugin_page, re.MULTILINE)) == set(HOOKS)


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_is_documented_with_its_signature(plugin_page: str, name: str) -> None:
    signature = str(inspect.signature(HOOKS[name])).replace("'", "")
    assert f"{name}{signature}" in section(plugin_page, name)


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_has_a_snippet_that_implements_it_as_a_method(plugin_page: str, name: str) -> None:
    assert list(inspect.signature(HOOKS[name]).parameters) == ["self"]
    written = f"    @hookimpl\n    def {name}(self) -> "
    named = f'    {name} = later("'
    found = section(plugin_page, name).replace("async def", "def")
    assert (written in found) != (named in found)


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_says_its_contract(name: str) -> None:
    assert inspect.getdoc(HOOKS[name])
