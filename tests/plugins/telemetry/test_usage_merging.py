"""Merging batches: what is stored does not depend on how entries are put into batches, nor on the batches' order."""

from __future__ import annotations

from functools import partial
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from usage_lab import Books, store_each_alone

from jackfield.api.telemetry import Tokens, UsageEntry
from jackfield_telemetry.ledger.contradictions import contradiction
from jackfield_telemetry.ledger.merging import AddedUsage, merge
from jackfield_telemetry.ledger.packing import pack

Line = tuple[str, str, int, int]
"""Kind, answer, output, minute."""
LINES = st.lists(
    st.tuples(
        st.sampled_from(["copy", "proxy", "", "r1", "r2"]), st.sampled_from("ab"), st.integers(1, 9), st.integers(0, 40)
    ),
    max_size=14,
)


def entry(line: Line) -> UsageEntry:
    kind, answer, out, minute = line
    request, time = "" if kind in ("copy", "proxy") else kind, 1_769_860_800_000 + minute * 60_000
    return UsageEntry("claude", answer, f"s{minute % 2}", time, "m", Tokens(3, out), request, kind == "copy")


def expected(lines: list[Line]) -> list[tuple[int, int]]:
    """Output and minute: for every answer what a proxy has served, else its requests, else a copy; of each the largest,
    and of those the first."""
    kept = list[tuple[int, int]]()
    for answer in {line[1] for line in lines}:
        best: dict[str, tuple[int, int]] = {}
        for kind, _, out, minute in (line for line in lines if line[1] == answer):
            best[kind] = max(best.get(kind, (0, 0)), (out, -minute))
        originals = {kind: value for kind, value in best.items() if kind not in ("copy", "proxy")}
        counted = [best["proxy"]] if "proxy" in best else list(originals.values()) or [best["copy"]]
        kept += [(out, -minute) for out, minute in counted]
    return sorted(kept)


@given(lines=LINES, cuts=st.sets(st.integers(1, 13)), data=st.data())
def test_what_is_stored_depends_on_neither_order_nor_batches(
    lines: list[Line], cuts: set[int], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    books = Books(tmp_path_factory.mktemp("ledger"))
    order = data.draw(st.permutations(lines))
    together = data.draw(st.booleans())
    added = AddedUsage()
    for start, stop in pairwise([0, *sorted(cut for cut in cuts if cut < len(order)), len(order)]):
        for proxied, group in groupby(order[start:stop], key=lambda line: line[0] == "proxy"):
            batch = pack(map(entry, group), source="proxy" if proxied else "log")
            with pytest.MonkeyPatch.context() as patch:
                if not together:
                    store_each_alone(patch)
                added = added.plus(books.ledger.write(partial(merge, batch=batch)))
    stored = books.ledger.read(
        lambda connection: connection.execute("SELECT output, (time - 1769860800000) / 60000 FROM entries").fetchall()
    )
    wanted = expected(lines)
    assert sorted(stored) == wanted
    assert books.ledger.read(contradiction) is None
    assert added == AddedUsage(len(wanted), Tokens(3 * len(wanted), sum(out for out, _ in wanted)))
    assert books.tokens == added.tokens
    books.ledger.close()
