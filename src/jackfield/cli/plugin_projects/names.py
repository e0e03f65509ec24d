"""The names of a new project, all made of the one that its author gives."""

from __future__ import annotations

import keyword
import re
from importlib.metadata import entry_points

from jackfield.api.errors import ConfigurationError
from jackfield.api.hooks import PROJECT
from jackfield.api.records import record

PREFIX = "jackfield-plugin-"
"""Of the distribution: people find plugins on the index by it."""
_FORM = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST = 30
"""Letters of a name."""


@record
class ProjectNames:
    """slug: `word-count`, as the author gives it."""

    slug: str

    @property
    def distribution(self) -> str:
        """`jackfield-plugin-word-count`."""
        return f"{PREFIX}{self.slug}"

    @property
    def package(self) -> str:
        """`jackfield_plugin_word_count`."""
        return self.distribution.replace("-", "_")

    @property
    def plugin(self) -> str:
        """`word_count`: the plugin's name and its entry point's."""
        return self.slug.replace("-", "_")

    @property
    def pascal(self) -> str:
        """`WordCount`."""
        return "".join(part.capitalize() for part in self.slug.split("-"))

    @property
    def camel(self) -> str:
        """`wordCount`: the kind of its node."""
        return self.pascal[0].lower() + self.pascal[1:]

    @property
    def title(self) -> str:
        """`Word count`."""
        return self.slug.replace("-", " ").capitalize()


def checked_names(name: str) -> ProjectNames:
    """Raises `ConfigurationError` for a name that no plugin can have, or that an installed one has."""
    slug = name.strip().removeprefix(PREFIX)
    if not _FORM.fullmatch(slug) or len(slug) > LONGEST:
        raise ConfigurationError(
            f"NAME: {name!r} is no name for a plugin. Use at most {LONGEST} lower-case letters, digits and single "
            "hyphens, and begin with a letter, such as word-count."
        )
    names = ProjectNames(slug)
    if keyword.iskeyword(names.plugin):
        raise ConfigurationError(f"NAME: {slug} is a word of Python; choose another name.")
    if names.plugin in {point.name for point in entry_points(group=PROJECT)}:
        raise ConfigurationError(f"NAME: an installed plugin is called {names.plugin}; choose another name.")
    return names
