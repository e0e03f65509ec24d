"""How the nodes for lists of items show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Case, Ui, UiFields

_ALL: Case = {"aggregate": "aggregateAllItemData"}
_NAMES = "Names of fields, separated by commas."
AGGREGATE: UiFields = {
    "aggregate": Ui(
        choices={
            "aggregateIndividualFields": ("Single fields", "Each field becomes a list of its values."),
            "aggregateAllItemData": ("Whole items", "All items become one list."),
        },
        help="The data that is put together in one item.",
    ),
    "fieldsToAggregate": Ui(
        label="Fields to aggregate",
        when={"aggregate": "aggregateIndividualFields"},
        options={"add": "Add field"},
        help="The fields whose values become lists.",
    ),
    "destinationFieldName": Ui(label="Put output in field", when=_ALL, help="The name of the list."),
    "include": Ui(
        when=_ALL,
        choices={
            "allFields": "All fields",
            "specifiedFields": "Some fields",
            "allFieldsExcept": "All fields except some",
        },
        help="Which fields of the items are kept.",
    ),
    "fieldsToInclude": Ui(when={**_ALL, "include": "specifiedFields"}, help=_NAMES),
    "fieldsToExclude": Ui(when={**_ALL, "include": "allFieldsExcept"}, help=_NAMES),
}
AGGREGATED_FIELD: UiFields = {
    "fieldToAggregate": Ui(label="Input field", help="The field whose values are collected."),
    "renameField": Ui(help="Gives the list another name than the field has."),
    "outputFieldName": Ui(label="Output field", when={"renameField": True}, help="The name of the list."),
}
AGGREGATE_OPTIONS: UiFields = {
    "includeBinaries": Ui(label="Include files"),
    "keepOnlyUnique": Ui(label="Keep each file once", when={"includeBinaries": True}),
}
LIMIT: UiFields = {
    "maxItems": Ui(label="Most items", help="How many items stay at most."),
    "keep": Ui(choices={"firstItems": "The first items", "lastItems": "The last items"}, help="Which items stay."),
}
SPLIT_OUT: UiFields = {
    "fieldToSplitOut": Ui(
        label="Fields to split out",
        placeholder="data.items",
        help="The fields that hold lists, separated by commas. Each element becomes an item.",
    ),
    "include": Ui(
        choices={
            "noOtherFields": "No other fields",
            "allOtherFields": "All other fields",
            "selectedOtherFields": "Some other fields",
        },
        help="Which of the item's other fields the new items get.",
    ),
    "fieldsToInclude": Ui(when={"include": "selectedOtherFields"}, help=_NAMES),
}
SPLIT_OPTIONS: UiFields = {"destinationFieldName": Ui(help="Names of the fields in the new items, comma separated.")}
SORT: UiFields = {
    "options": Ui(when={"type": "simple"}),
    "type": Ui(
        label="Sort",
        choices={"simple": "By fields", "random": "At random", "code": "By code"},
        help="How the order is found.",
    ),
    "sortFieldsUi": Ui(
        label="Fields to sort by",
        when={"type": "simple"},
        options={"add": "Add field"},
        help="The first field counts most.",
    ),
    "code": Ui(
        "code",
        label="JavaScript",
        when={"type": "code"},
        options={"language": "javascript"},
        help="The body of a function of two items, a and b; below 0 puts a first.",
        expression=False,
    ),
}
SORT_OPTIONS: UiFields = {"disableDotNotation": Ui(when={"/type": "simple"})}
SORT_FIELD: UiFields = {
    "fieldName": Ui(label="Field", help="The field to sort by; `a.b` is the field b inside of a."),
    "order": Ui(choices={"ascending": "Ascending", "descending": "Descending"}, help="Smallest or largest first."),
}
_INPUT: Case = {"operation": "removeDuplicateInputItems"}
_SEEN: Case = {"operation": "removeItemsSeenInPreviousExecutions"}
_COMPARE = Ui(
    choices={
        "allFields": "All fields",
        "allFieldsExcept": "All fields except some",
        "selectedFields": "Some fields",
    },
    help="Items are duplicates when these fields are the same.",
)
DUPLICATES: UiFields = {
    "compare": _COMPARE,
    "fieldsToExclude": Ui(when={"compare": "allFieldsExcept"}, help=_NAMES),
    "fieldsToCompare": Ui(when={"compare": "selectedFields"}, help=_NAMES),
}
REMEMBERING: UiFields = {
    "operation": Ui(
        choices={
            "removeDuplicateInputItems": "Remove items repeated within the input",
            "removeItemsSeenInPreviousExecutions": "Remove items seen in earlier executions",
            "clearDeduplicationHistory": "Forget the items seen",
        }
    ),
    "compare": Ui(when=_INPUT).over(_COMPARE),
    "fieldsToExclude": Ui(when={**_INPUT, "compare": "allFieldsExcept"}, help=_NAMES),
    "fieldsToCompare": Ui(when={**_INPUT, "compare": "selectedFields"}, help=_NAMES),
    "logic": Ui(
        label="Keep items",
        when=_SEEN,
        choices={
            "removeItemsWithAlreadySeenKeyValues": "With a new value",
            "removeItemsUpToStoredIncrementalKey": "With a value higher than any before",
            "removeItemsUpToStoredDate": "With a date later than any before",
        },
    ),
    "dedupeValue": Ui(when={**_SEEN, "logic": "removeItemsWithAlreadySeenKeyValues"}),
    "incrementalDedupeValue": Ui(label="Value", when={**_SEEN, "logic": "removeItemsUpToStoredIncrementalKey"}),
    "dateDedupeValue": Ui(label="Date", when={**_SEEN, "logic": "removeItemsUpToStoredDate"}),
}
DUPLICATES_OPTIONS: UiFields = {"removeOtherFields": Ui(label="Drop other fields")}
HISTORY: UiFields = {
    "scope": Ui(
        choices={"node": "This node alone", "workflow": "The workflow"}, help="The nodes that share the memory."
    ),
    "historySize": Ui(label="Values remembered"),
}
SUMMARIZE: UiFields = {
    "fieldsToSummarize": Ui(options={"add": "Add field"}, help="The fields that are summed up."),
    "fieldsToSplitBy": Ui(label="Fields to group by", help="Items with the same values there make one group."),
}
AGGREGATION: UiFields = {
    "aggregation": Ui(
        choices={
            "append": "List of all values",
            "average": "Average",
            "concatenate": "Joined text",
            "count": "Number of values",
            "countUnique": "Number of different values",
            "max": "Largest",
            "min": "Smallest",
            "sum": "Sum",
        },
        help="The value that is made of the field's values.",
    ),
    "field": Ui(help="The field's name."),
    "includeEmpty": Ui(
        label="Include empty values", when={"aggregation": ["append", "concatenate", "count", "countUnique"]}
    ),
    "separateBy": Ui(
        label="Separator",
        when={"aggregation": "concatenate"},
        choices={",": "Comma", ", ": "Comma and blank", "\n": "New line", "": "None", " ": "Blank", "other": "Other"},
        help="The text between the values.",
    ),
    "customSeparator": Ui(when={"aggregation": "concatenate", "separateBy": "other"}),
}
SUMMARIZE_OPTIONS: UiFields = {
    "continueIfFieldNotFound": Ui(label="Go on without the field", when={"@version": 1}),
    "outputFormat": Ui(choices={"separateItems": "One item per group", "singleItem": "One item for all groups"}),
    "skipEmptySplitFields": Ui(label="Leave out items without a group"),
}
LISTS: UiFields = {
    "operation": Ui(
        choices={
            "aggregateItems": "Aggregate items",
            "concatenateItems": "Put items together",
            "limit": "Limit items",
            "removeDuplicates": "Remove duplicates",
            "sort": "Sort items",
            "splitOutItems": "Split out a list",
            "summarize": "Summarize items",
        },
        help="The work that the node does with the items.",
    )
}
