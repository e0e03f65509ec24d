"""The extension by itself."""

from __future__ import annotations

from jackfield.api.browser import BROWSER_EXTENSIONS
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_kilns import KilnsPlugin
from jackfield_kilns.node import KilnNode


def test_what_the_browser_gets_is_there(jackfield_context: MakeContext) -> None:
    (extension,) = KilnsPlugin(jackfield_context()).jackfield_browser_extensions()
    assert BROWSER_EXTENSIONS.check is not None
    assert list(BROWSER_EXTENSIONS.check(extension)) == []
    assert (extension.files / extension.module).is_file()
    name, _, icon = KilnNode.description.icon.partition("/")
    assert name == extension.name
    assert (extension.files / f"{icon}.svg").is_file()
