"""Writes the files of a new project."""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from string import Template

import jackfield.api
from jackfield.api.errors import ConfigurationError, Conflict
from jackfield.api.records import record
from jackfield.api.version import API_VERSION, __version__

from .kinds import KINDS
from .names import ProjectNames

TEMPLATES = Path(__file__).parent / "templates"
BROWSER_TYPES = Path(jackfield.api.__file__).parent / "browser.d.ts"
"""The types of the browser interface, which modules of extensions have beside them."""
SUFFIX = ".tmpl"
_DOT = re.compile(r"(?<![^/])dot-")


class ProjectTemplate(Template):
    """`@@word`, which neither Python nor TOML, YAML or JavaScript has."""

    delimiter = "@@"


@record
class ProjectWish:
    """The wish of an author. directory: of the project; author: stands in pyproject.toml and in the licence."""

    kind: str
    names: ProjectNames
    directory: Path
    license: str
    author: str


@record
class MadeProject:
    """files: relative to the directory. next: the commands that come next."""

    directory: Path
    files: Sequence[str]

    @property
    def next(self) -> Sequence[str]:
        """Into the project, its tools, its checks."""
        return f"cd {shlex.quote(str(self.directory))}", "pip install -e '.[dev]'", "pytest && mypy && ruff check"


def make_project(wish: ProjectWish) -> MadeProject:
    """Every file or none. Raises as `refuse_wish` does, and `ConfigurationError` for a directory that cannot be
    written."""
    refuse_wish(wish)
    words = words_of(wish)
    directory = wish.directory.resolve()
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".jackfield-new-", dir=directory.parent) as place:
            made = Path(place, "project")
            for name, source in sorted(sources_of(wish).items()):
                target = made / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(ProjectTemplate(source.read_text("utf-8")).substitute(words), encoding="utf-8")
            files = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
            _put(made, directory)
    except OSError as exc:
        raise ConfigurationError(f"{wish.directory} cannot be written: {exc.strerror or exc}.") from None
    return MadeProject(wish.directory, files)


def refuse_wish(wish: ProjectWish) -> None:
    """Raises `Conflict` for a directory that holds something, `ConfigurationError` for an author that no file can name
    and a directory that cannot be looked into."""
    if not wish.author.strip() or not wish.author.isprintable():
        raise ConfigurationError("--author: give a name in printable letters.")
    try:
        taken = wish.directory.exists() and (not wish.directory.is_dir() or any(wish.directory.iterdir()))
    except OSError as exc:
        raise ConfigurationError(f"{wish.directory} cannot be read: {exc.strerror or exc}.") from None
    if taken:
        raise Conflict(f"{wish.directory} is there already, and nothing is overwritten; name another --dir.")


def _put(made: Path, directory: Path) -> None:
    """An empty directory stays the same one, since somebody may stand in it."""
    if not directory.exists():
        made.rename(directory)
        return
    for path in sorted(made.iterdir()):
        path.rename(directory / path.name)


def sources_of(wish: ProjectWish) -> dict[str, Path]:
    """File of the project -> its template; a kind's own one stands before the common one."""
    found: dict[str, Path] = {}
    for folder in ("common", wish.kind):
        found |= {_target(name, wish.names): path for name, path in _templates(TEMPLATES / folder)}
    if wish.kind == "ui-page":
        found[f"src/{wish.names.package}/browser/jackfield-ui.d.ts"] = BROWSER_TYPES
    if wish.license != "none":
        found["LICENSE"] = TEMPLATES / "licenses" / f"{wish.license}{SUFFIX}"
    return found


def _templates(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob(f"*{SUFFIX}"):
        yield path.relative_to(folder).as_posix().removesuffix(SUFFIX), path


def _target(name: str, names: ProjectNames) -> str:
    """Names with a dot in front are `dot-...` among the templates, where tools would take them for our own."""
    plain = _DOT.sub(".", name)
    return plain.replace("src/package/", f"src/{names.package}/").replace("SLUG", names.slug)


def words_of(wish: ProjectWish) -> Mapping[str, str]:
    """Word of a template -> text."""
    names, kind = wish.names, KINDS[wish.kind]
    spdx = "LicenseRef-Proprietary" if wish.license == "none" else wish.license
    return {
        "slug": names.slug,
        "distribution": names.distribution,
        "package": names.package,
        "plugin": names.plugin,
        "Pascal": names.pascal,
        "camel": names.camel,
        "title": names.title,
        "TITLE": names.plugin.upper(),
        "kind": wish.kind,
        "summary": kind.summary,
        "author": wish.author.strip(),
        "author_toml": json.dumps(wish.author.strip(), ensure_ascii=False),
        "year": str(datetime.now(UTC).year),
        "license": spdx,
        "license_files": '["LICENSE"]' if wish.license != "none" else "[]",
        "private": '"Private :: Do Not Upload", ' if wish.license == "none" else "",
        "scripts": f'\n[project.scripts]\n{names.slug} = "{names.package}.program:main"\n' if kind.has_program else "",
        "version": ".".join(__version__.split(".")[:2]),
        "api": ".".join(map(str, API_VERSION)),
    }
