"""`tools/pack_languages.py`: Babel reads the same of its data, from fewer bytes."""

from __future__ import annotations

import pickle
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import babel
import pytest

TOOL = Path(__file__).resolve().parents[3] / "tools/pack_languages.py"
DATA = Path(babel.__file__).parent / "locale-data"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = spec_from_file_location("pack_languages", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(value: object) -> object:
    """A value that compares: its objects as their class and attributes."""
    if isinstance(value, dict):
        return [(plain(key), plain(held)) for key, held in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [plain(held) for held in value]
    if hasattr(value, "__dict__"):
        return type(value), plain(vars(value))
    return type(value), repr(value)


@pytest.mark.parametrize("language", ["root", "de", "ar", "sl", "ja", "en_AE"])
def test_a_packed_language_reads_as_before(tool: ModuleType, language: str) -> None:
    before = (DATA / f"{language}.dat").read_bytes()
    after = tool.packed(before)
    assert plain(pickle.loads(after)) == plain(pickle.loads(before))
    assert len(after) < len(before)
