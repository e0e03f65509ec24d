"""Everything that is wrong with one manifest.

Its model decides, so that keys which a model gains are known here at once. The plugin of its kind adds what a model
cannot know.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

from pydantic import ValidationError

from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.keys import tables_with, unknown_keys
from jackfield.api.manifest_checks.places import KeyPath, TextPlace, toml_places
from jackfield.api.manifest_checks.problems import FileProblem, Severity, file_view
from jackfield.api.manifest_checks.wording import in_words
from jackfield.api.manifests import ManifestT
from jackfield.api.records import state
from jackfield.api.similar_names import similar

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

LARGEST = 2**20
"""Bytes, as of manifests that are used."""
MOST_ROUNDS = 20
"""In which mistakes are left out and the rest is looked at again."""
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_QUOTED = re.compile(r"'([^']*)'")
_START = TextPlace(1, 1)


@state
class ManifestCheck(Generic[ManifestT]):
    """One file.

    `manifest`: None when it is not one. `sound`: what is right of it, to look for more mistakes. None when nothing can
    be made of that. `places`: of its keys. `removed`: indexes in lists that `sound` is without, by the list. `lost`:
    keys in the file whose values `sound` is without, or has from a stand-in.
    """

    file: Path
    manifest: ManifestT | None = None
    sound: ManifestT | None = None
    problems: list[FileProblem] = field(default_factory=list)
    places: Mapping[KeyPath, TextPlace] = field(default_factory=dict)
    removed: dict[KeyPath, list[int]] = field(default_factory=dict)
    lost: set[KeyPath] = field(default_factory=set)

    def add(
        self, path: KeyPath, message: str, *, severity: Severity = "error", known: Iterable[str] = (), named: str = ""
    ) -> None:
        """Say what is wrong with a key, once. path: in `sound`. known: what may stand there; named: what stands there,
        for a hint."""
        allowed = tuple(known)
        path = self.in_file(path)
        place = self._place(path)
        found = FileProblem(
            place.line, place.column, _dotted(path), message, severity, allowed, tuple(similar(named, allowed))
        )
        if found not in self.problems:
            self.problems.append(found)

    def is_told(self, path: KeyPath) -> bool:
        """Whether something is wrong with this key already. path: in `sound`."""
        return any(problem.key == _dotted(self.in_file(path)) for problem in self.problems)

    def in_file(self, path: KeyPath) -> KeyPath:
        """Where a path of `sound` stands in the file, which may have more elements in its lists."""
        made: KeyPath = ()
        for part in path:
            made = (*made, self._index_in_file(made, part) if isinstance(part, int) else part)
        return made

    def _index_in_file(self, elements: KeyPath, index: int) -> int:
        for gone in sorted(self.removed.get(elements, ())):
            index += gone <= index
        return index

    def _place(self, path: KeyPath) -> TextPlace:
        """Of the key, else of the nearest table around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, _START)

    def view(self) -> dict[str, Json]:
        """For commands, with the problems as they stand in the file."""
        return file_view(str(self.file), sorted(self.problems, key=lambda one: (one.line, one.column)))


def check_manifest(
    path: Path, model: type[ManifestT], stand_ins: Mapping[str, object] | None = None
) -> ManifestCheck[ManifestT]:
    """Read the file and hold it against its model.

    `stand_ins`: good values of required keys, in whose place they stand in `sound` when the file has none. Blocks.
    Raises nothing: what is wrong is in the result.
    """
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
        check.sound = _sound(check, model, document, stand_ins or {})
        check.manifest = None if check.problems else check.sound
    except Exception as exc:  # models are plugins'; their mistake is no reason to say nothing
        check.add((), f"the file is not understood ({type(exc).__name__}: {exc})")
    return check


def _sound(
    check: ManifestCheck[ManifestT],
    model: type[ManifestT],
    document: dict[str, object],
    stand_ins: Mapping[str, object],
) -> ManifestT | None:
    """Report the mistakes, leave them out, and see whether there are more then.

    A model looks at keys together once each is right by itself. The file's types count as they are written: a text is
    no number.
    """
    rest: dict[str, object] = deepcopy(dict(document))
    for _ in range(MOST_ROUNDS):
        try:
            return model.model_validate_json(json.dumps(rest, default=_of_time), strict=True)
        except ValidationError as exc:
            errors = exc.errors(include_url=False)
        for error in errors:
            _add_error(check, error)
        wrong = {path for error in errors if (path := _present(rest, _path_of(error)))}
        unknown = {_present(rest, error["loc"]) for error in errors if error["type"] == "extra_forbidden"}
        check.lost |= {check.in_file(path) for path in wrong - unknown}
        for path in sorted(wrong, key=_behind_first, reverse=True):
            _remove(check, rest, path)
        missing = {name: value for name, value in stand_ins.items() if name not in rest}
        if not wrong and not missing:
            return None
        rest |= missing
        check.lost |= {(name,) for name in missing}
    return None


def _of_time(value: object) -> object:
    """Dates and times, which TOML has: they are no texts."""
    return {"time": str(value)}


def _behind_first(path: KeyPath) -> tuple[tuple[bool, int, str], ...]:
    """By which lists are cut from their ends."""
    return tuple((isinstance(part, int), part, "") if isinstance(part, int) else (False, 0, part) for part in path)


def _present(rest: Any, path: KeyPath) -> KeyPath:  # Any: tables and lists
    """As much of the path as there is; names of unions' members are between the keys."""
    found: KeyPath = ()
    for part in path:
        there = range(len(rest)) if isinstance(rest, list) else rest if isinstance(rest, dict) else ()
        if part in there:
            found, rest = (*found, part), rest[part]
    return found


def _remove(check: ManifestCheck[ManifestT], rest: Any, path: KeyPath) -> None:  # Any: tables and lists
    for part in path[:-1]:
        rest = rest[part]
    last = path[-1]
    if isinstance(last, int):
        original = check.in_file(path)
        check.removed.setdefault(original[:-1], []).append(int(original[-1]))
    del rest[last]


def _path_of(error: ErrorDetails) -> KeyPath:
    """A model that looks at several keys together says first which one it means, with dots."""
    if error["loc"]:
        return error["loc"]
    return tuple(error["msg"].removeprefix("Value error, ").partition(" ")[0].split("."))


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
    for part in _path_of(error):  # names of unions' members are between the keys
        if check.in_file((*path, part)) in check.places:
            path = (*path, part)
    kind, given = error["type"], error["input"]
    if kind == "extra_forbidden" or _counts_the_wrong(error):
        return  # told as an unknown key, or by its elements
    if kind == "missing" and path[-1:] != error["loc"][-1:]:
        path = (*path, error["loc"][-1])
    if _path_of(error)[:1] in check.lost or _follows(check, path):
        return
    if kind == "missing":
        check.add(path, "the key is missing")
        return
    if kind in ("literal_error", "enum"):
        known = _QUOTED.findall(str(error.get("ctx", {}).get("expected", "")))
        written = given if isinstance(given, str) else json.dumps(given, default=str)
        check.add(path, f"{written or 'an empty text'} may not stand here", known=known, named=written)
        return
    message = in_words(error)
    check.add(path, f"the name of the key is wrong; {message}" if error["loc"][-1:] == ("[key]",) else message)


def _follows(check: ManifestCheck[ManifestT], path: KeyPath) -> bool:
    """Whether it may be no mistake of the file's, but come of a value that `sound` is without.

    The value is that of the key, or one in a table around it. The whole file is no such table: else a wrong key would
    hide all others.
    """
    path = check.in_file(path)
    tables = {lost[:-1] for lost in check.lost}
    return any(path[:end] in check.lost or path[:end] in tables for end in range(1, len(path) + 1))


def _counts_the_wrong(error: ErrorDetails) -> bool:
    """A list counts as too short when its elements are wrong."""
    if error["type"] != "too_short":
        return False
    given, least = error["input"], error.get("ctx", {}).get("min_length", 0)
    return isinstance(given, list | dict) and len(given) >= least


def _dotted(path: KeyPath) -> str:
    made = ""
    for part in path:
        made += f"[{part}]" if isinstance(part, int) else f".{part}" if made else part
    return made
