"""What callers prove themselves with: hidden wherever it was copied to, and what is kept stays JSON."""

from __future__ import annotations

import base64
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.caller_secrets import hidden_in, hide, hide_text

TOKEN = "planted-token-91c3"


def item(headers: Any = None, query: Any = None) -> Any:
    return {"json": {"headers": headers or {}, "query": query or {}}}


def kept(given: Any, *items: Any, names: tuple[str, ...] = ()) -> Any:
    return orjson.loads(hide(orjson.dumps(given), hidden_in(list(items), names)))


@pytest.mark.parametrize(
    ("headers", "query", "planted"),
    [
        ({"authorization": f"Bearer {TOKEN}"}, {}, TOKEN),
        ({"authorization": f"Bearer {TOKEN}"}, {}, f"Bearer {TOKEN}"),
        ({"authorization": "Basic " + base64.b64encode(f"ada:{TOKEN}".encode()).decode()}, {}, TOKEN),
        ({"cookie": f"a=b; session={TOKEN}; c=d"}, {}, TOKEN),
        ({"proxy-authorization": TOKEN}, {}, TOKEN),
        ({"x-api-key": TOKEN}, {}, TOKEN),
        ({}, {"access_token": TOKEN}, TOKEN),
        ({}, {"key": [TOKEN, "other"]}, TOKEN),
        ({"x-api-key": 'with "quotes" and \\ é'}, {}, 'with "quotes" and \\ é'),
    ],
)
def test_it_is_hidden_wherever_it_was_copied_to(headers: Any, query: Any, planted: str) -> None:
    one = item(headers, query)
    record = {"items": [one], "copy": f"is {planted}!", "deep": [{"x": planted}], "text": orjson.dumps(one).decode()}
    found = str(kept(record, one))
    assert planted not in found
    assert "***" in found


def test_one_that_comes_twice_and_one_of_a_form_are_hidden() -> None:
    twice = item({}, {"api_key": ["135792468013", "246801"]})
    assert "135792" not in str(kept(twice, twice))
    assert "246801" not in str(kept(twice, twice))
    form: Any = {"json": {"formQueryParameters": {"token": TOKEN}}}
    assert TOKEN not in str(kept(form, form))


def test_short_ones_are_hidden_under_their_name_alone() -> None:
    one = item({"authorization": "abc", "x-api-key": "12345678901234"})
    found = kept({"h": one["json"]["headers"], "abc": "abc", "n": 12345678901234}, one)
    assert found == {"h": {"authorization": "***", "x-api-key": "***"}, "abc": "abc", "n": 12345678901234}


def test_others_are_not() -> None:
    one = item({"x-hub-signature-256": TOKEN, "accept": TOKEN, "authorization": "***"}, {"page": TOKEN})
    assert hidden_in([one]) == ()
    assert hidden_in([item({"authorization": "Respond to Webhook"})], ("Respond to Webhook",))[0][1].endswith(b'"***"')
    assert kept(
        {"node": "Respond to Webhook"}, item({"authorization": "Respond to Webhook"}), names=("Respond to Webhook",)
    )


def test_keys_of_the_record_stay() -> None:
    one = item({"authorization": "itemsOfTheRecord"})
    assert kept({"itemsOfTheRecord": "itemsOfTheRecord"}, one) == {"itemsOfTheRecord": "***"}


def test_an_answer_need_not_be_json() -> None:
    hidden = hidden_in([item({"authorization": f"Bearer {TOKEN}"})])
    assert hide_text(f"you sent {TOKEN}".encode(), hidden) == b"you sent ***"


_texts = st.text(alphabet=st.sampled_from('\\"nu0041{}[],:truefals é*\n\t'), min_size=1, max_size=30)
_values: Any = st.recursive(
    _texts | st.none() | st.booleans() | st.integers(-(2**60), 2**60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=10,
)


@given(_texts, _values, _texts)
def test_whatever_a_caller_sends_the_record_stays_json(value: str, record: Any, around: str) -> None:
    one = item({"authorization": value, "cookie": f"{value}={around}"})
    whole = {"a": record, "b": around + value, "c": value + around, "items": [one], "keys": {value: 1}}
    found = kept(whole, one)
    assert found.keys() == whole.keys()
    assert found["items"][0]["json"]["headers"]["authorization"] in ("***", value) or value == "***"
