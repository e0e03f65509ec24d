"""Everything that is wrong with one manifest. What its model says counts, so that keys which a model gains are known
here at once; the plugin of its kind adds what a model cannot know."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Generic

from pydantic import ValidationError

from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.keys import tables_with, unknown_keys
from jackfield.api.manifest_checks.places import KeyPath, TextPlace, toml_places
from jackfield.api.manifest_checks.problems import FileProblem, Severity, file_view
from jackfield.api.manifests import ManifestT
from jackfield.api.records import state
from jackfield.api.similar_names import similar

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

LARGEST = 2**20
"""Bytes, as of manifests that are used."""
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_QUOTED = re.compile(r"'([^']*)'")
_START = TextPlace(1, 1)


@state
class ManifestCheck(Generic[ManifestT]):
    """One file. manifest: None when it is not one. places: of its keys."""

    file: Path
    manifest: ManifestT | None = None
    problems: list[FileProblem] = field(default_factory=list)
    places: Mapping[KeyPath, TextPlace] = field(default_factory=dict)

    def add(
        self, path: KeyPath, message: str, *, severity: Severity = "error", known: Iterable[str] = (), named: str = ""
    ) -> None:
        """Say what is wrong with a key. known: what may stand there; named: what stands there, for a hint."""
        allowed = tuple(known)
        place = self._place(path)
        self.problems.append(
            FileProblem(
                place.line, place.column, _dotted(path), message, severity, allowed, tuple(similar(named, allowed))
            )
        )

    def _place(self, path: KeyPath) -> TextPlace:
        """Of the key, else of the nearest table around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, _START)

    def view(self) -> dict[str, Json]:
        """For commands, with the problems as they stand in the file."""
        return file_view(str(self.file), sorted(self.problems, key=lambda one: (one.line, one.column)))


def check_manifest(path: Path, model: type[ManifestT]) -> ManifestCheck[ManifestT]:
    """Read the file and hold it against its model. Blocks. Raises nothing: what is wrong is in the result."""
    check: ManifestCheck[ManifestT] = ManifestCheck(path)
    document = _document(check)
    if document is None:
        return check
    for unknown in unknown_keys(model, document):
        name = str(unknown.path[-1])
        elsewhere = [".".join(table) for table in tables_with(model, name) if table]
        hint = f"; {name} is a key of [{elsewhere[0]}]" if elsewhere else ""
        check.add(unknown.path, f"there is no such key here{hint}", known=unknown.allowed, named=name)
    try:
        check.manifest = model.model_validate(document)
    except ValidationError as exc:
        for error in exc.errors(include_url=False):
            _add_error(check, error)
    except Exception as exc:  # models are plugins'; their mistake is no reason to say nothing
        check.add((), f"the file is not understood ({type(exc).__name__}: {exc})")
    return check


def _document(check: ManifestCheck[ManifestT]) -> dict[str, object] | None:
    """None: it is no TOML, which is a problem."""
    try:
        with check.file.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError(f"the file is larger than {LARGEST} bytes")
        text = content.decode("utf-8-sig")
        check.places = toml_places(text)
        return tomllib.loads(text)
    except OSError as exc:
        check.add((), f"the file cannot be read ({exc.strerror})")
    except UnicodeDecodeError:
        check.add((), "the file is not UTF-8 text")
    except RecursionError:
        check.add((), "the file is nested too deeply")
    except tomllib.TOMLDecodeError as exc:
        found = _TOML_PLACE.search(str(exc))
        check.places = {(): TextPlace(int(found[1]), int(found[2]))} if found and found[1] else {}
        message = _TOML_PLACE.sub(lambda end: "" if end[1] else ", at the end of the file", str(exc))
        check.add((), f"the file is not TOML: {message[:1].lower()}{message[1:]}")
    except ValueError as exc:
        check.add((), str(exc))
    return None


def _add_error(check: ManifestCheck[ManifestT], error: ErrorDetails) -> None:
    path: KeyPath = ()
    for part in error["loc"]:  # names of unions' members are between the keys
        if (*path, part) in check.places:
            path = (*path, part)
    kind, given = error["type"], error["input"]
    if kind == "extra_forbidden":
        return  # told as an unknown key
    if kind == "missing":
        check.add((*path, error["loc"][-1]), "the key is missing")
        return
    if kind in ("literal_error", "enum") and isinstance(given, str):
        known = _QUOTED.findall(str(error.get("ctx", {}).get("expected", "")))
        check.add(path, f"{given or 'an empty text'} may not stand here", known=known, named=given)
        return
    message = error["msg"].removeprefix("Value error, ")
    check.add(path, message[:1].lower() + message[1:])


def _dotted(path: KeyPath) -> str:
    made = ""
    for part in path:
        made += f"[{part}]" if isinstance(part, int) else f".{part}" if made else part
    return made
