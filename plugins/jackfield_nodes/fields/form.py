"""How Set and Rename Keys show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields

ASSIGNMENTS = Ui("assignments", label="Fields to set", help="The fields that each item gets, with their values.")
_MANUAL: dict[str, str] = {"mode": "manual"}

OPTIONS: UiFields = {
    "ignoreConversionErrors": Ui(label="Ignore type errors", help="Keeps a value that does not fit the field's type."),
    "includeBinary": Ui(when={"@version": {"_cnd": {"lte": 3.3}}}, help="Keeps the item's files."),
    "stripBinary": Ui(label="Drop files", when={"@version": {"_cnd": {"gte": 3.4}}}, help="Drops the item's files."),
}
LEGACY: UiFields = {
    "keepOnlySet": Ui(label="Keep only set fields", help="Drops all fields that you do not set here."),
    "values": Ui(label="Values to set", options={"add": "Add value"}),
}
VALUES_UI: UiFields = {"string": Ui(label="Text"), "number": Ui(label="Number"), "boolean": Ui(label="True or false")}
NUMBER_ROW: UiFields = {"value": Ui("number")}
BOOLEAN_ROW: UiFields = {"value": Ui("switch")}
MODERN: UiFields = {
    "mode": Ui(
        choices={
            "manual": ("Fields one by one", "Each field has a name, a type and a value."),
            "raw": ("JSON", "One JSON object holds all fields."),
        },
        help="How you give the fields.",
    ),
    "jsonOutput": Ui("json", label="JSON", when={"mode": "raw"}, help="An object with the fields to set."),
    "duplicateItem": Ui(label="Duplicate item", help="Repeats each item, in manual and test runs only."),
    "duplicateCount": Ui(label="Copies", when={"duplicateItem": True}, help="How many copies each item gets."),
    "includeFields": Ui(
        label="Fields to include", when={"include": "selected"}, help="Names of fields, separated by commas."
    ),
    "excludeFields": Ui(
        label="Fields to exclude", when={"include": "except"}, help="Names of fields, separated by commas."
    ),
    "include": Ui(
        label="Include other fields",
        choices={"all": "All", "none": "None", "selected": "Selected fields", "except": "All except some"},
        help="Which of the item's other fields stay.",
    ),
}
FIELDS: UiFields = {"fields": Ui(label="Fields to set", when=_MANUAL, options={"add": "Add field"})}
_OTHERS: dict[str, bool] = {"includeOtherFields": True}
ASSIGNED: UiFields = {
    "assignments": Ui(when=_MANUAL),
    "includeOtherFields": Ui(label="Include other input fields", help="Keeps the item's other fields, too."),
    "include": Ui(
        label="Fields that stay",
        when=_OTHERS,
        choices={"all": "All", "selected": "Selected fields", "except": "All except some"},
        help="Which of the item's other fields stay.",
    ),
    "includeFields": Ui(
        label="Fields to include",
        when={**_OTHERS, "include": "selected"},
        help="Names of fields, separated by commas.",
    ),
    "excludeFields": Ui(
        label="Fields to exclude", when={**_OTHERS, "include": "except"}, help="Names of fields, separated by commas."
    ),
}
TYPED_FIELD: UiFields = {
    "type": Ui(
        choices={
            "stringValue": "Text",
            "numberValue": "Number",
            "booleanValue": "True or false",
            "arrayValue": "List",
            "objectValue": "Object",
        },
        help="The type that the value is converted to.",
    ),
    "stringValue": Ui(label="Value", when={"type": "stringValue"}),
    "numberValue": Ui(label="Value", when={"type": "numberValue"}),
    "booleanValue": Ui(label="Value", when={"type": "booleanValue"}, choices={"true": "True", "false": "False"}),
    "arrayValue": Ui("json", label="Value", when={"type": "arrayValue"}),
    "objectValue": Ui("json", label="Value", when={"type": "objectValue"}),
}
RENAMED: UiFields = {"keys": Ui(label="Fields to rename", options={"add": "Add field"})}
RENAMED_KEY: UiFields = {
    "currentKey": Ui(label="Present name", help="The field's name now; `a.b` is the field b inside of a."),
    "newKey": Ui(label="New name", help="The name that the field gets."),
}
REGEX_REPLACEMENTS: UiFields = {
    "regexReplacement": Ui(label="Rename by pattern", help="Renames all fields that match.")
}
REGEX_REPLACEMENT: UiFields = {
    "searchRegex": Ui(label="Pattern", placeholder="^old_", help="A regular expression; its first match is replaced."),
    "replaceRegex": Ui(label="Replacement", help="The new text; $1 is the match of the first group."),
}
