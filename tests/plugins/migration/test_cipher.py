"""n8n's encryption. The sealed texts were written by n8n-core 2.40.3."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_migration.reading import decryption
from jackfield_migration.reading.cipher import DataKey, N8nCipher, WrongKey

KEY = "instance-key-é"
SEALED = "U2FsdGVkX1/U91oYoVpgk3bVygbzjQFcPRLdxJJLo2LQXO6IOGILcP2I1nHVQ92xkJoTm88DdNp+m34F2djHOw=="
DATA_KEY = (
    "AUc5W+Z2KAboIwqDu1ZphrsDzKXbyXHFC4R5wy0CNHD/Zwc13KLImD+MISLXuvbGdUa9fYyFFTOzCWEZeupO80aaK9UEVgtjFQ27LcIw1nlwcm0M"
    "BAB1Ti81Bk7t5+3Fy7kE68sBl1pmxehmkIAX+RE="
)
WITH_DATA_KEY = "k1:AQAuq+T1wCp6z88o6BnLpv/z+B1foiru6ZffTVg4ocUYBpwK5l8PaRvBWAIMfzpj1uYPORTE9ZiwSn3B+Rk="


def test_the_older_form() -> None:
    assert N8nCipher([KEY]).values(SEALED) == {"user": "ada", "password": "päss"}


def test_the_first_key_that_fits_counts() -> None:
    assert N8nCipher(["another", KEY]).values(SEALED)["user"] == "ada"


def test_a_key_whose_padding_fits_by_chance_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = {"by chance": "garbage", KEY: '{"user": "ada"}', "too": "[]"}
    monkeypatch.setattr(decryption, "open_cbc", lambda sealed, key: opened[key])
    assert N8nCipher(["by chance", KEY]).values(SEALED) == {"user": "ada"}
    assert N8nCipher(["by chance", KEY]).lines(SEALED) == [{"user": "ada"}]
    with pytest.raises(WrongKey, match="does not open it"):
        N8nCipher(["by chance", "too"]).values(SEALED)


def test_the_newer_form_needs_the_key_of_the_database() -> None:
    alone = N8nCipher([KEY])
    with pytest.raises(WrongKey, match="data key k1"):
        alone.values(WITH_DATA_KEY)
    known = alone.with_data_keys([DataKey("k1", DATA_KEY, "aes-256-gcm")])
    assert known.values(WITH_DATA_KEY) == {"token": "t"}
    assert known.values(SEALED)["user"] == "ada"


@given(st.text(min_size=1))
def test_another_key_is_said_to_be_wrong(key: str) -> None:
    if key != KEY:
        with pytest.raises(WrongKey):
            N8nCipher([key]).values(SEALED)


@given(st.text())
def test_what_is_no_sealed_text_is_refused(sealed: str) -> None:
    with pytest.raises(WrongKey):
        N8nCipher([KEY]).values(sealed)
