"""Putting generated files into a profile's home.

Everything is worked out before anything is written. Files of others are kept or set aside, and a second time with the
same input writes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield_profiles.generated.formats import Format, format_of
from jackfield_profiles.generated.home_files import OWN, HomeFiles
from jackfield_profiles.generated.merging import MergeConflict, Owned
from jackfield_profiles.generated.owned import OwnedFile, read_state, written_state
from jackfield_profiles.running_settings import RunSettings

STATE = f"{OWN}/owned.json"
MOST_STATE = 2**24
"""Bytes."""
MOST_ASIDE = 9
"""Files that are set aside under one name."""
_GONE = OwnedFile("", made=False)


@record
class FileChange:
    """The change of one file.

    `old`, `new`: None is no file. `aside`: whether the old content is kept beside it. `owned`: None when nothing of it
    is ours any more.
    """

    path: str
    old: bytes | None
    new: bytes | None
    owned: OwnedFile | None
    aside: bool = False


def write_generated(
    home: Path, files: Mapping[str, str], placeholders: Mapping[str, str], settings: RunSettings
) -> list[str]:
    """Merge the files (relative path -> text) into the home and remove what we wrote and no longer want. placeholders:
    text -> what takes its place. Returns a sentence for each file of somebody else that was set aside. Blocks. Raises
    `InvalidInput`; then nothing was written."""
    with HomeFiles(home) as root, root.locked(settings.lock_timeout):
        content = root.read(STATE, MOST_STATE)
        state = read_state(content)
        changes = list(_changes(root, files, placeholders, state, settings.max_file_bytes))
        notes = [_set_aside(root, change, home) for change in changes if change.aside and change.old is not None]
        # The record comes first: after a crash in between it names keys that are not there yet, which does no harm.
        now = written_state({change.path: change.owned for change in changes if change.owned is not None})
        if now != content and (content is not None or len(changes) > 0):
            root.write(STATE, now)
        for change in changes:
            _carry_out(root, change)
    return notes


def planned_changes(
    home: Path, files: Mapping[str, str], placeholders: Mapping[str, str], settings: RunSettings
) -> list[FileChange]:
    """The changes that `write_generated` would make. Nothing is written, and no home is made. Raises as it does."""
    if not home.is_dir():
        with TemporaryDirectory() as empty:
            return planned_changes(Path(empty), files, placeholders, settings)
    with HomeFiles(home) as root:
        state = read_state(root.read(STATE, MOST_STATE))
        return list(_changes(root, files, placeholders, state, settings.max_file_bytes))


def _carry_out(root: HomeFiles, change: FileChange) -> None:
    if change.new is None:
        if change.old is not None:
            root.remove(change.path)
    elif change.new != change.old:
        root.write(change.path, change.new)
    elif change.owned is not None:
        root.close_to_others(change.path)


def _changes(
    root: HomeFiles,
    files: Mapping[str, str],
    placeholders: Mapping[str, str],
    state: Mapping[str, OwnedFile],
    limit: int,
) -> Iterator[FileChange]:
    for path in sorted(files.keys() | state.keys()):
        old = root.read(path, limit)
        before = state.get(path, _GONE)
        text = files.get(path)
        kind = _format(path, text, before)
        if kind is None:
            yield _whole(path, old, None if text is None else _filled_text(text, placeholders), before)
        else:
            generated = {} if text is None else _filled(kind.parse(text), placeholders)
            yield _by_keys(path, kind, old, generated, before, wanted=text is not None)


def _format(path: str, text: str | None, before: OwnedFile) -> Format | None:
    """How the file is merged; None: as a whole."""
    if text is None:
        return format_of(f".{before.kind}")
    kind = format_of(PurePosixPath(path).suffix.lower())
    if kind is None:
        return None
    try:
        kind.parse(text)
    except ValueError:
        return None  # a JSON list, a text that only has the name
    return kind


def _whole(path: str, old: bytes | None, new: bytes | None, before: OwnedFile) -> FileChange:
    ours = old is not None and before.kind == "whole" and before.digest == _hash(old)
    if new is None:
        return FileChange(path, old, None if ours else old, None)
    if old == new and not ours:
        return FileChange(path, old, new, None)
    owned = OwnedFile("whole", made=True, digest=_hash(new))
    return FileChange(path, old, new, owned, aside=old is not None and not ours)


def _by_keys(
    path: str, kind: Format, old: bytes | None, generated: Mapping[str, Any], before: OwnedFile, *, wanted: bool
) -> FileChange:
    if old is None and not wanted:
        return FileChange(path, None, None, None)
    same = before.kind == kind.name and old is not None
    try:
        text = "" if old is None else old.decode("utf-8-sig")
        written, merged = kind.merged(text, generated, before.owned if same else Owned())
    except MergeConflict as exc:
        raise _unusable(path, str(exc)) from None
    except ValueError as exc:
        raise _unusable(path, f"it is not valid {kind.name.upper()}: {exc}") from None
    made = before.made if same else old is None
    new = old if old is not None and written == text else written.encode()
    if not wanted:
        empty = made and not kind.parse(written)
        return FileChange(path, old, None if empty else new, None)
    return FileChange(path, old, new, OwnedFile(kind.name, made=made, owned=merged.owned), aside=merged.taken)


def _unusable(path: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"The file {path} in the profile's home cannot be merged with the generated configuration: {why}. Repair it "
        "or move it away; it was not changed.",
        code="MERGE_CONFLICT",
        details={path: why},
    )


def _set_aside(root: HomeFiles, change: FileChange, home: Path) -> str:
    """Keep the content under the name with `.bak` behind it, unless it is there already."""
    content = change.old or b""
    for number in range(1, MOST_ASIDE + 1):
        name = f"{change.path}.bak" + ("" if number == 1 else f".{number}")
        present = root.read(name, max(len(content), 2**26))
        if present is None:
            root.write(name, content)
        if present is None or present == content:
            return f"{home / change.path} held other values than the profile's; it was kept as {name}."
    raise InvalidInput(
        f"{home / change.path} is somebody else's and there are {MOST_ASIDE} copies of it; clear them away.",
        code="MERGE_CONFLICT",
    )


def _filled(tree: dict[str, Any], placeholders: Mapping[str, str]) -> dict[str, Any]:
    """The texts in it with the placeholders replaced, so that a key with quotes breaks nothing."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _replaced(value, placeholders)
        if isinstance(value, list):
            return [fill(inner) for inner in value]
        return {name: fill(inner) for name, inner in value.items()} if isinstance(value, dict) else value

    return {name: fill(value) for name, value in tree.items()}


def _replaced(text: str, placeholders: Mapping[str, str]) -> str:
    for name, value in placeholders.items():
        text = text.replace(name, value)
    return text


def _filled_text(text: str, placeholders: Mapping[str, str]) -> bytes:
    return _replaced(text, placeholders).encode("utf-8", "surrogatepass")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
