"""JSON Schemas of operations: what pydantic would give, without its models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from jackfield.testing.context import FakeContext
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.described.description import DescribedOperation, Parameter
from jackfield_vendors.library import node_in
from jackfield_vendors.operations import compile_operation
from jackfield_vendors.parameters import OperationForm, VendorParameters
from jackfield_vendors.schemas import operation_schema

TYPES = ("text", "number", "boolean", "json", "list", "object", "locator", "any")
names = st.text("abcXYZ", min_size=1, max_size=4)
scalars = st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from((0.5, "", "a", "b"))
parameters = st.builds(
    Parameter,
    name=names,
    type=st.sampled_from(TYPES),
    required=st.booleans(),
    default=scalars | st.lists(scalars, max_size=2) | st.dictionaries(names, scalars, max_size=2),
    title=st.just("") | names,
) | st.builds(Parameter, name=names, options=st.lists(st.sampled_from(("a", "b", "c")), max_size=3))


def by_pydantic(form: OperationForm) -> dict[str, Any]:
    """The schema of the operation's model, with what a node adds to it."""
    made = BaseModel.model_json_schema.__func__(form.model)  # type: ignore[attr-defined]  # a class method
    made["properties"]["resource"] = {"const": form.described.resource}
    made["properties"]["operation"] = {"const": form.described.operation}
    made["required"] = [row.name for row in form.described.parameters if row.required]
    return dict(made)


def unordered(schema: Any) -> Any:
    """`typing` keeps one of two literals that differ only in their order, so that pydantic may tell the other's."""
    if isinstance(schema, dict):
        return {key: sorted(value) if key == "enum" else unordered(value) for key, value in schema.items()}
    return [unordered(value) for value in schema] if isinstance(schema, list) else schema


@given(st.lists(parameters, max_size=4), st.lists(parameters, max_size=2), names, names)
def test_a_schema_is_that_of_the_operations_model(
    rows: list[Parameter], shared: list[Parameter], resource: str, operation: str
) -> None:
    described = DescribedOperation(path="/", resource=resource, operation=operation, parameters=rows)
    form = OperationForm(compile_operation(described, shared, {}), shared)
    assert unordered(operation_schema(form.name, form.rows, form.described)) == unordered(by_pydantic(form))


@pytest.mark.parametrize("kind", ["slack", "github", "notion"])
def test_shipped_nodes_have_the_schemas_of_their_models(kind: str, tmp_path: Path) -> None:
    model: Any = node_in(FakeContext(tmp_path), SHIPPED / f"{kind}.toml").parameters(None)
    assert issubclass(model, VendorParameters)
    assert unordered(model.model_json_schema()["oneOf"]) == [unordered(by_pydantic(form)) for form in model.forms]


def test_schemas_make_no_models(tmp_path: Path) -> None:
    model: Any = node_in(FakeContext(tmp_path), SHIPPED / "telegram.toml").parameters(None)
    assert model.model_json_schema()["oneOf"]
    assert not any("model" in vars(form) for form in model.forms)
