"""Which parameters of a model count as secret."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field, SecretStr
from pydantic.alias_generators import to_camel

from jackfield.api.nodes import NodeParameters


class Inner(BaseModel):
    password: str = Field("", json_schema_extra={"secret": True})
    shown: str = ""
    again: list[Inner] = Field(default_factory=list)


class Whole(NodeParameters):
    model_config = NodeParameters.model_config | {"alias_generator": to_camel}

    plain: str = ""
    private_key: str = Field("", json_schema_extra={"secret": True})
    token: SecretStr | None = None
    written: str = Field("", json_schema_extra={"writeOnly": True})
    typed: str = Field("", json_schema_extra={"format": "password"})
    options: Inner = Field(default_factory=Inner)
    maybe: Inner | None = None
    rows: list[Inner] = Field(default_factory=list)
    named: Mapping[str, Inner] = Field(default_factory=dict)
    texts: dict[str, str] = Field(default_factory=dict)


class Own(NodeParameters):
    @classmethod
    def secret_paths(cls) -> list[str]:
        return ["authConfig.secret"]


def test_marked_fields_are_found_at_any_depth_under_each_name() -> None:
    assert list(Whole.secret_paths()) == sorted(
        [
            *("privateKey", "private_key", "token", "written", "typed"),
            *("options.password", "maybe.password", "rows.*.password", "named.*.password"),
        ]
    )


def test_a_model_may_say_it_itself() -> None:
    assert list(Own.secret_paths()) == ["authConfig.secret"]
    assert list(NodeParameters.secret_paths()) == []
