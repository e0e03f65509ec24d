"""The documentation says what is so."""

import inspect
import re
from pathlib import Path

import pytest

import rhai

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
PAGE = PROJECT / "docs" / "rhai.md"

pytestmark = pytest.mark.skipif(not README.is_file(), reason="needs a checkout")


def test_example_of_the_readme() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})


def test_signature_of_the_engine() -> None:
    documented = re.search(r"`Engine\((.*?)\)`", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert documented
    names = dict(re.findall(r"(\w+)=([\w.]+)", documented[1]))
    parameters = inspect.signature(rhai.Engine).parameters
    assert {name: str(parameter.default) for name, parameter in parameters.items()} == {
        name: value.replace("_", "") for name, value in names.items()
    }


@pytest.mark.parametrize("name", ["compile", "compile_expression", "eval", "call_fn", "cancel", "register_fn"])
def test_signatures_of_methods(name: str) -> None:
    (documented,) = re.findall(rf"^\| `{name}(\(.*?\))", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    method = getattr(rhai.Engine, name)
    assert (
        str(inspect.signature(method)).replace("($self, ", "(").replace("(self, /, ", "(").replace("(self, /)", "()")
        == documented
    )


def test_everything_public_has_a_docstring() -> None:
    for public in rhai.__all__:
        assert getattr(rhai, public).__doc__
    for name, member in vars(rhai.Engine).items():
        assert name.startswith("__") or member.__doc__


def test_exceptions_of_the_cases_are_documented() -> None:
    source = (PROJECT / "tests" / "test_cases.py").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(tests/\w+\.rs)` line (\d+) \| (.*?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = re.findall(r'^    \("(tests/\w+\.rs)", (\d+)\): "(.*?)",$', source, re.MULTILINE)
    assert rows == listed


def test_changelog_knows_the_version() -> None:
    version = re.search(r'^version = "(.*?)"', (PROJECT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version
    assert f"## {version[1]}" in (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
