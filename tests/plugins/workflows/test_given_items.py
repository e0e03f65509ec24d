"""Items of a request."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.errors import InvalidInput
from jackfield_workflows.starts import read_items

FILE = {"data": "YQ==", "mimeType": "text/plain"}


def test_an_item_with_fields_alone_is_taken_as_it_is() -> None:
    plain: Any = {"json": {"a": 1}}
    odd: Any = {"json": {"b": 2}, "pairedItem": {"item": 7}, "error": "no", "binary": {"f": FILE}}
    found = read_items({"inputData": [plain, odd, {"json": {}, "binary": None}]})
    assert found == [{"json": {"a": 1}}, {"json": {"b": 2}, "binary": {"f": FILE}}, {"json": {}}]
    assert found is not None
    assert found[0] is plain
    assert "error" in odd


@pytest.mark.parametrize("item", [None, 3, {}, {"json": 3}, {"json": {}, "binary": 3}, {"binary": {"f": FILE}}])
def test_what_is_no_item_is_refused_with_its_place(item: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_items([{"json": {}}, item])
    assert next(iter(caught.value.details or {})).startswith("[1]")
