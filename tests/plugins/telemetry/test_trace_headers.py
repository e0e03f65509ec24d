"""W3C Trace Context: what counts, beside OpenTelemetry's own reader."""

from __future__ import annotations

import pytest

from jackfield.api.tracing import TraceContext, below, trace_context, trace_pairs

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GOOD = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    "header",
    [
        GOOD,
        f"00-{TRACE}-{SPAN}-00",
        f"00-{TRACE}-{SPAN}-03",
        f"cc-{TRACE}-{SPAN}-01",
        f"cc-{TRACE}-{SPAN}-01-what-comes-later",
        f"00-{TRACE}-{SPAN}-01-more",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[:-1]}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}",
        f"{GOOD}, {GOOD}",
        f"0-{TRACE}-{SPAN}-01",
        "",
        "nothing",
    ],
)
def test_the_header_counts_where_it_counts_for_opentelemetry(header: str) -> None:
    theirs = get_current_span(TraceContextTextMapPropagator().extract({"traceparent": header})).get_span_context()
    ours = trace_context(header)
    assert (ours is not None) == theirs.is_valid
    if ours is not None:
        assert (int(ours.trace_id, 16), int(ours.span_id, 16)) == (theirs.trace_id, theirs.span_id)
        assert ours.sampled == theirs.trace_flags.sampled


def test_capital_letters_are_no_header() -> None:
    assert trace_context(GOOD.upper()) is None


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("congo=t61rcWkgMzE", "congo=t61rcWkgMzE"),
        ("rojo=00f067aa0ba902b7 , fw529a3039@dt=FfAAA==x", ""),
        (" rojo=1 ,, congo=2 ", "rojo=1,congo=2"),
        ("a=1,a=2", ""),
        ("UPPER=1", ""),
        (",".join(f"k{number}=1" for number in range(33)), ""),
    ],
)
def test_a_state_that_is_not_valid_is_left_out_alone(given: str, kept: str) -> None:
    found = trace_context(GOOD, given)
    assert found is not None
    assert found.state == kept


def test_what_goes_out_names_the_span_below() -> None:
    above = TraceContext(TRACE, SPAN, True, "congo=1")
    span = below(above)
    assert span.parent == SPAN
    assert span.own.span_id != SPAN
    assert trace_pairs(span.own) == (
        ("traceparent", f"00-{TRACE}-{span.own.span_id}-01"),
        ("tracestate", "congo=1"),
    )
