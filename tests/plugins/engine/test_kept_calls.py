"""The store gets a call whose body stands in the execution's input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request

from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield.api.storage import NewCall

BODY = b'{"a": "\xc3\xbc", "again":"secret-of-a-caller"}'
CHAIN = doc(('In "items":', "webhook"), ("After", "pass"))


@pytest.mark.parametrize("until", ["", "After"])
@pytest.mark.parametrize(
    ("token", "shown"), [("", BODY.decode()), ("other-secret-of-a-caller", BODY.decode()), ("secret-of-a-caller", None)]
)
async def test_the_history_shows_the_body(tmp_path: Path, until: str, token: str, shown: str | None) -> None:
    lab = Lab(tmp_path)
    engine = lab.engine()
    headers = {"authorization": token} if token else {}
    head = b'[{"json":{"headers":' + orjson.dumps(headers) + b',"body":'
    encoded = head + BODY + b"}}]"
    call = NewCall(new_id(), "hook", 1, "POST", b"{}", "", places=((len(head), len(BODY)),))
    items: Any = orjson.loads(encoded)
    given = request(await lab.save(CHAIN), items=items, until=until)
    wanted = replace(given, call=call, encoded=encoded)
    execution = engine.submit(wanted)
    await ended(execution)
    page = await lab.store.calls("hook", status=None, offset=0, limit=9)
    assert [each.body for each in page.rows] == [shown or BODY.decode()]
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    kept = orjson.loads(stored.input)["items"][0]["json"]
    assert kept["body"] == (orjson.loads(BODY) if shown else {"a": "ü", "again": "***"})
    assert not token or kept["headers"] == {"authorization": "***"}
