"""The parameters of the LDAP node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters, needed
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield_integrations.parameters import Text, names

FILTERS = ("searchFor", "customFilter", "searchText")
"""Parameters whose expressions give values inside of filters."""
_ONE = ("compare", "create", "delete", "rename", "update")
_SEARCH: Case = {"operation": ["search"]}


class LdapAttribute(Parameters):
    id: Text = Field("", title="Attribute")
    value: object = ""


class LdapAttributes(Parameters):
    """attribute: of a new entry; the others: changes."""

    ui_fields: ClassVar[UiFields] = {
        "attribute": Ui(when={"/operation": ["create"]}),
        "add": Ui(when={"/operation": ["update"]}),
        "replace": Ui(when={"/operation": ["update"]}),
        "delete": Ui(label="Remove", when={"/operation": ["update"]}),
    }

    attribute: list[LdapAttribute] = Field(default_factory=list)
    add: list[LdapAttribute] = Field(default_factory=list)
    replace: list[LdapAttribute] = Field(default_factory=list)
    delete: list[LdapAttribute] = Field(default_factory=list)


def _listed(value: object) -> object:
    return names(value) if isinstance(value, str) else value or []


class LdapOptions(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "attributes": Ui(help="Attributes to read, separated by commas; all without any."),
        "pageSize": Ui(help="How many entries the server sends at once; 0 for all."),
        "scope": Ui(choices={"base": "The entry itself", "one": "One level below", "sub": "All below"}),
    }

    attributes: Annotated[list[str], BeforeValidator(_listed)] = Field(default_factory=list)
    page_size: int = Field(1000, ge=0)
    scope: Literal["base", "one", "sub"] = "sub"


class LdapParameters(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "operation": Ui(
            choices={
                "compare": "Compare",
                "create": "Create",
                "delete": "Delete",
                "rename": "Rename",
                "search": "Search",
                "update": "Update",
            }
        ),
        "nodeDebug": Ui("hidden"),
        "dn": Ui(label="DN", when={"operation": [*_ONE]}, placeholder="cn=ada,ou=people,dc=example,dc=com"),
        "id": Ui(label="Attribute", when={"operation": ["compare"]}),
        "value": Ui(when={"operation": ["compare"]}),
        "targetDn": Ui(label="New DN", when={"operation": ["rename"]}),
        "attributes": Ui(when={"operation": ["create", "update"]}),
        "baseDN": Ui(label="Base DN", when=_SEARCH, help="The entry below which entries are searched."),
        "searchFor": Ui(
            when=_SEARCH,
            placeholder="(objectclass=person)",
            help="A filter for the class of entries, or custom for a filter of your own.",
        ),
        "customFilter": Ui(
            label="Filter",
            when={**_SEARCH, "searchFor": ["custom"]},
            help="An LDAP filter (RFC 4515). Values of expressions are escaped in it.",
        ),
        "attribute": Ui(when=_SEARCH, hide={"searchFor": ["custom"]}),
        "searchText": Ui(
            when=_SEARCH, hide={"searchFor": ["custom"]}, help="Value of the attribute; * stands for anything."
        ),
        "returnAll": Ui(when=_SEARCH),
        "limit": Ui(when={**_SEARCH, "returnAll": [False]}),
        "options": Ui(when=_SEARCH),
    }

    operation: Literal["compare", "create", "delete", "rename", "search", "update"] = "search"
    node_debug: Flag = False
    dn: Text = Field("", json_schema_extra=needed({"operation": _ONE}))
    id: Text = Field("", json_schema_extra=needed({"operation": ["compare"]}))
    value: Text = ""
    target_dn: Text = Field("", json_schema_extra=needed({"operation": ["rename"]}))
    attributes: LdapAttributes = Field(default_factory=LdapAttributes)
    base_dn: Text = Field("", alias="baseDN", json_schema_extra=needed({"operation": ["search"]}))
    search_for: Text = ""
    custom_filter: Text = "(objectclass=*)"
    attribute: Text = ""
    search_text: Text = ""
    return_all: Flag = False
    limit: int = Field(50, ge=1)
    options: LdapOptions = Field(default_factory=LdapOptions)

    @classmethod
    def late(cls, parameters: Mapping[str, Json]) -> tuple[str, ...]:
        return FILTERS

    def needed(self, name: str, value: str) -> str:
        """Raises `NodeError` where it is empty."""
        if not value:
            raise NodeError(f"The parameter {name} is empty.")
        return value
