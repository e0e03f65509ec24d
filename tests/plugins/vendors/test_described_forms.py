"""Forms of descriptions that say nothing, or something, of their shapes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import Control, NodeField
from jackfield.api.nodes.showing import shown_fields
from jackfield.testing.context import FakeContext
from jackfield_vendors.forms.words import form_words
from jackfield_vendors.library import Unusable, node_in

PLAIN = """
[node]
kind = "acme"
title = "Acme"
versions = [1, 2]
base_url = "https://acme.example"
resource = "order"
defaults = { order = "create" }

[words.labels]
lines = "Order lines"

[words.help]
note = "Below the address."

[[operations]]
resource = "order"
operation = "create"
title = "Create an order by mail"
when = { way = "mail" }
method = "POST"
path = "/mails"
parameters = [
  { name = "way", options = ["mail", "api"], default = "api" },
  { name = "address", required = true },
  { name = "note" },
]
body = { to = "{address}", note = "{note}" }

[[operations]]
resource = "order"
operation = "create"
title = "Create an order"
method = "POST"
path = "/orders"
parameters = [
  { name = "way", options = ["mail", "api"], default = "api", words = { api = "By the interface" } },
  { name = "customerId", title = "Buyer", help = "Who pays is the buyer.", placeholder = "c1" },
  { name = "note" },
  { name = "lines", type = "object" },
  { name = "options", type = "object" },
]
[operations.body]
customer = "{customerId}"
note = "{note}"
lines = { "$each" = "{lines.values}", sku = "{article | upper}", count = "{count | number}" }
user = "{options.show.values.user}"
fast = "{options.fast}"

[[operations]]
resource = "order"
operation = "delete"
title = "Delete an order"
min_version = 2
path = "/orders/{orderId}"
parameters = [{ name = "orderId", type = "locator", required = true }]

[[operations]]
resource = "customer"
operation = "delete"
path = "/customers/{orderId}"
parameters = [{ name = "orderId", type = "locator", required = true }]
unavailable = "it is not made yet"
"""
SHAPES = """
[shapes]
note = [
  { only = ["order.create"], versions = [1], control = "textarea" },
  { control = "select", choices = ["a", "b"], words = { a = "First" } },
]
options = { control = "collection", fields = { fast = { control = "switch" }, slow = { control = "switch" } } }
customerId = { control = "locator", modes = ["list", "id"], load = "customers", show = { way = ["api"] } }

[lists.customers]
path = "/customers"
paging = { kind = "page", send = "page" }
needs = ["way"]

[[operations]]
"""


def form(directory: Path, text: str, version: float | None = None) -> list[NodeField]:
    path = directory / "acme.toml"
    path.write_text(text)
    return list(node_in(FakeContext(directory), path).form(version))


def shown(fields: list[NodeField], **values: Any) -> dict[str, NodeField]:
    return {field.name: field for field in shown_fields(fields, values, values, 2)}


def test_a_variants_parameters_are_shown_while_it_is_the_chosen_one(tmp_path: Path) -> None:
    fields = form(tmp_path, PLAIN)
    mail = shown(fields, resource="order", operation="create", way="mail")
    api = shown(fields, resource="order", operation="create", way="api")
    assert set(mail) == {"resource", "operation", "way", "address", "note"}
    assert set(api) == {"resource", "operation", "way", "customerId", "note", "lines", "options"}


def test_operations_have_their_titles_and_are_those_of_the_version(tmp_path: Path) -> None:
    for version, labels in ((1, ["Create an order"]), (2, ["Create an order", "Delete an order"])):
        operation = shown(form(tmp_path, PLAIN, version), resource="order")["operation"]
        assert [choice.label for choice in operation.choices] == labels


def test_a_choice_that_cannot_run_has_the_reason_and_so_has_a_resource_without_any_that_can(tmp_path: Path) -> None:
    fields = shown(form(tmp_path, PLAIN), resource="customer")
    assert [(one.label, one.unavailable) for one in fields["operation"].choices] == [("Delete", "it is not made yet")]
    assert [(one.value, one.unavailable) for one in fields["resource"].choices] == [
        ("order", ""),
        ("customer", "it is not made yet"),
    ]


def test_an_operation_of_which_one_variant_runs_can_be_chosen(tmp_path: Path) -> None:
    some = PLAIN.replace('when = { way = "api" }', "", 1)
    for titled in ("Create an order by mail", "Create an order"):
        idle = some.replace(f'title = "{titled}"\n', f'title = "{titled}"\nunavailable = "not so"\n', 1)
        operation = shown(form(tmp_path, idle), resource="order")["operation"]
        assert [(one.value, one.unavailable) for one in operation.choices] == [("create", ""), ("delete", "")]


def test_a_node_that_has_such_an_operation_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "acme.toml"
    path.write_text(PLAIN)
    model = node_in(FakeContext(tmp_path), path).parameters(None)
    given: dict[str, Json] = {"resource": "customer", "operation": "delete", "orderId": "7"}
    assert model.doubts(given) == {"operation": "The operation cannot run here: it is not made yet."}
    assert model.doubts({**given, "resource": "order"}) == {}
    assert model.doubts({**given, "operation": "odd"}) == {}


def test_words_of_a_row_of_the_description_and_of_all(tmp_path: Path) -> None:
    found = shown(form(tmp_path, PLAIN), resource="order", operation="create", way="api")
    buyer = found["customerId"]
    assert (buyer.label, buyer.help, buyer.placeholder) == ("Buyer", "Who pays is the buyer.", "c1")
    assert [choice.label for choice in found["way"].choices] == ["Mail", "By the interface"]
    assert (found["lines"].label, found["note"].help) == ("Order lines", "Below the address.")


def test_equal_fields_of_several_operations_are_one(tmp_path: Path) -> None:
    fields = [field for field in form(tmp_path, PLAIN, 2) if field.name == "orderId"]
    assert len(fields) == 1
    assert fields[0].when is not None
    assert fields[0].when.show == {"operation": ["delete"]}
    assert fields[0].label == "Order"


def test_the_parts_of_objects_are_those_that_templates_read(tmp_path: Path) -> None:
    found = shown(form(tmp_path, PLAIN), resource="order", operation="create", way="api")
    lines, options = found["lines"], found["options"]
    assert (lines.control, lines.multiple, [group.name for group in lines.groups]) == (
        "fixedCollection",
        True,
        ["values"],
    )
    assert [field.name for field in lines.groups[0].fields] == ["article", "count"]
    assert (options.control, [field.name for field in options.fields]) == ("collection", ["show", "fast"])
    show = options.fields[0]
    assert (show.control, show.groups[0].name, show.groups[0].fields[0].name) == ("fixedCollection", "values", "user")


def test_shapes_say_more_by_operation_and_version(tmp_path: Path) -> None:
    text = PLAIN.replace("[[operations]]", SHAPES, 1)
    old = shown(form(tmp_path, text, 1), resource="order", operation="create", way="api")
    new = shown(form(tmp_path, text, 2), resource="order", operation="create", way="api")
    assert (old["note"].control, new["note"].control) == ("textarea", "select")
    assert [choice.label for choice in new["note"].choices] == ["First", "B"]
    customer = new["customerId"]
    assert customer.load is not None
    assert (customer.load.name, customer.load.depends_on, customer.load.searchable) == ("customers", ["way"], True)
    assert customer.when is not None
    assert customer.when.show["way"] == ["api"]
    effects = {field.name: field.help for field in new["options"].fields}
    assert "no effect" in effects["slow"]
    assert "no effect" not in effects["fast"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('[shapes]\nnote = { control = "box" }\n', "shapes.note"),
        ('[lists.a]\npaging = { kind = "link" }\n', "the paging of a list"),
        ('[lists.a]\npath = "/{@nothing}"\n', "lists.a.path"),
        ('[lists.a]\nlabel = "{name"\n', "lists.a.label"),
    ],
)
def test_mistakes_in_forms_are_named(tmp_path: Path, wrong: str, told: str) -> None:
    with pytest.raises(Unusable, match=told):
        form(tmp_path, PLAIN.replace("[[operations]]", f"{wrong}\n[[operations]]", 1))


def test_the_shared_words_are_plain_sentences_and_their_controls_are_controls() -> None:
    words = form_words()
    assert set(words.controls.values()) <= set(get_args(Control))
    told = [*words.help.values(), *words.labels.values()]
    assert not [text for text in told if re.match(r"(What|Who|Whose)\b", text) or len(text.split()) > 25]
    assert all(text.endswith(".") for text in words.help.values())


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("contactIdentifierUi", "Contact identifier"),
        ("HTMLBody", "HTML body"),
        ("short_description", "Short description"),
        ("someOAuth2Api", "Some OAuth 2 API"),
        ("BillingCITY", "Billing CITY"),
        ("Get items", "Get items"),
    ],
)
def test_names_are_spoken(name: str, label: str) -> None:
    assert form_words().spoken(name) == label


def test_values_that_are_no_names_stay_as_they_are() -> None:
    values = ("1024x1024", "application/pdf", "-created", "v20.0", 3, 0.5)
    assert [form_words().value(value) for value in values] == [*values[:4], "3", "0.5"]
    assert [form_words().value(value) for value in (True, False, "")] == ["Yes", "No", "None"]
