"""How conditions show their parameters, in IF, Filter and Switch."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Scalar, Ui, UiFields, Words

BLOCK = Ui("filter", label="Conditions", help="Compares values of the item.")
LOOSE = Ui(
    label="Convert types",
    when={"@version": {"_cnd": {"gte": 2.1}}},
    help="Converts values of other types before they are compared, such as the text '5' to the number 5.",
)
BLOCK_OPTIONS: UiFields = {
    "ignoreCase": Ui(label="Ignore case", help="Takes upper and lower case as the same."),
    "looseTypeValidation": Ui(
        label="Convert types",
        when={"@version": 2},
        help="Converts values of other types before they are compared.",
    ),
}
ALL_OR_ANY: Mapping[Scalar, Words] = {"all": "All conditions hold", "any": "Any condition holds"}
AND_OR: Mapping[Scalar, Words] = {"AND": "All conditions hold", "OR": "Any condition holds"}
OPERATIONS: Mapping[Scalar, Words] = {
    "equal": "Is equal to",
    "notEqual": "Is not equal to",
    "contains": "Contains",
    "notContains": "Does not contain",
    "startsWith": "Starts with",
    "notStartsWith": "Does not start with",
    "endsWith": "Ends with",
    "notEndsWith": "Does not end with",
    "regex": "Matches the pattern",
    "notRegex": "Does not match the pattern",
    "isEmpty": "Is empty",
    "isNotEmpty": "Is not empty",
    "smaller": "Is smaller than",
    "smallerEqual": "Is smaller than or equal to",
    "larger": "Is larger than",
    "largerEqual": "Is larger than or equal to",
    "after": "Is after",
    "before": "Is before",
}
COMPARISON: UiFields = {
    "value1": Ui(label="Value", help="The value that is tested."),
    "operation": Ui(label="Operation", choices=OPERATIONS, help="How the two values are compared."),
    "value2": Ui(
        label="Compared with",
        hide={"operation": ["isEmpty", "isNotEmpty"]},
        help="The value that the first one is compared with.",
    ),
}
LEGACY: UiFields = {
    "boolean": Ui(label="True or false"),
    "dateTime": Ui(label="Date and time"),
    "number": Ui(label="Number"),
    "string": Ui(label="Text"),
}
