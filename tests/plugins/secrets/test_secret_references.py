"""How fields of credentials refer to secrets."""

from __future__ import annotations

import pytest

from jackfield.api.secret_references import SecretReference, refers_to_secrets, template_of


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("={{ $secrets.vault.x }}", (SecretReference("vault", ("x",)),)),
        ("={{$secrets.vault.a.b_c.$d}}", (SecretReference("vault", ("a", "b_c", "$d")),)),
        ("""={{ $secrets["my source"]['team/app'].key }}""", (SecretReference("my source", ("team/app", "key")),)),
        (
            "=Bearer {{ $secrets.a.b }} and {{ $secrets.a.c }}.",
            ("Bearer ", SecretReference("a", ("b",)), " and ", SecretReference("a", ("c",)), "."),
        ),
    ],
)
def test_what_a_field_means(text: str, pieces: object) -> None:
    assert refers_to_secrets(text)
    assert template_of(text) == pieces


@pytest.mark.parametrize("text", ["", "=", "secret", "=2+2", "={{ $json.x }}", "{{ $secrets.a.b }}", "=p4ssw0rd{{"])
def test_other_texts_are_values(text: str) -> None:
    assert not refers_to_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "={{ $secrets.vault }}",
        "={{ $secrets }}",
        "={{ $secrets.vault.x.toUpperCase() }}",
        "={{ $secrets.vault.x || 'other' }}",
        "={{ $secrets.vault[0] }}",
        "=$secrets.vault.x",
        "={{ $secrets.vault.x",
        "={{ $json.y }} {{ $secrets.vault.x }}",
    ],
)
def test_what_cannot_be_looked_up_is_refused_without_its_text(text: str) -> None:
    assert refers_to_secrets(text)
    with pytest.raises(ValueError, match=r"write a path such as") as caught:
        template_of(text)
    assert "other" not in str(caught.value)


def test_a_reference_reads_as_it_is_written() -> None:
    assert str(SecretReference("vault", ("a", "b/c", "d"))) == '$secrets.vault.a["b/c"].d'
