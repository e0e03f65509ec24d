"""How Merge and Compare Datasets show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words

_COMBINE: Case = {"mode": "combine"}
_BY_FIELDS: Case = {**_COMBINE, "combineBy": "combineByFields"}
_BY_FIELDS_2: Case = {**_COMBINE, "combinationMode": "mergeByFields"}
_BRANCH: Case = {"mode": "chooseBranch"}
_JOINS: Mapping[Scalar, Words] = {
    "keepMatches": ("Keep matches", "Items that have a partner (inner join)."),
    "keepNonMatches": ("Keep non-matches", "Items that have no partner."),
    "keepEverything": ("Keep everything", "All items, joined where they match (outer join)."),
    "enrichInput1": ("Enrich input 1", "All of input 1, with what matches of input 2 (left join)."),
    "enrichInput2": ("Enrich input 2", "All of input 2, with what matches of input 1 (right join)."),
}
_DATA: Mapping[Scalar, Words] = {"both": "Both inputs", "input1": "Input 1", "input2": "Input 2"}
_PAIR_HELP = "Names of fields that both inputs have, separated by commas."

MERGE_2: UiFields = {
    "options": Ui(when=_COMBINE),
    "mode": Ui(
        choices={
            "append": ("Append", "All items of input 1, then all of input 2."),
            "combine": ("Combine", "Items of both inputs become one."),
            "chooseBranch": ("Choose a branch", "Waits for both inputs and gives one of them."),
        },
        help="How the items of the inputs come together.",
    ),
    "combinationMode": Ui(
        label="Combine by",
        when=_COMBINE,
        choices={
            "mergeByFields": ("Matching fields", "Items whose fields have the same values."),
            "mergeByPosition": ("Position", "The first with the first, the second with the second."),
            "multiplex": ("All combinations", "Every item of one input with every item of the other."),
        },
        help="Which items become one.",
    ),
    "mergeByFields": Ui(label="Fields to match", when=_BY_FIELDS_2, options={"add": "Add fields"}),
    "fieldsToMatchString": Ui("hidden"),
    "joinMode": Ui(label="Output", when=_BY_FIELDS_2, choices=_JOINS, help="Which items go out."),
    "outputDataFrom": Ui(
        label="Data from",
        when={**_BY_FIELDS_2, "joinMode": ["keepMatches", "keepNonMatches"]},
        choices=_DATA,
        help="The input that gives the fields.",
    ),
    "output": Ui(
        when=_BRANCH,
        choices={"input1": "Items of input 1", "input2": "Items of input 2", "empty": "One empty item"},
        help="The items that go out.",
    ),
}
_NUMBER = Ui(label="Number of inputs", help="How many inputs the node has.", expression=False)
MERGE_3: UiFields = {
    "mode": Ui(
        choices={
            "append": ("Append", "All items of one input after those of the other."),
            "combine": ("Combine", "Items of both inputs become one."),
            "combineBySql": ("SQL query", "A query joins the inputs, which are its tables."),
            "chooseBranch": ("Choose a branch", "Waits for all inputs and gives one of them."),
        },
        help="How the items of the inputs come together.",
    ),
    "numberInputs": (
        Ui(when={"mode": ["append", "combineBySql", "chooseBranch"]}).over(_NUMBER),
        Ui(when={**_COMBINE, "combineBy": "combineByPosition"}).over(_NUMBER),
    ),
    "options": Ui(when={"mode": ["combine", "combineBySql"]}),
    "combineBy": Ui(
        when=_COMBINE,
        choices={
            "combineByFields": ("Matching fields", "Items whose fields have the same values."),
            "combineByPosition": ("Position", "The first with the first, the second with the second."),
            "combineAll": ("All combinations", "Every item of one input with every item of the other."),
        },
        help="Which items become one.",
    ),
    "advanced": Ui(label="Fields have different names", when=_BY_FIELDS, help="Matches fields of different names."),
    "fieldsToMatchString": Ui(label="Fields to match", when={**_BY_FIELDS, "advanced": False}, help=_PAIR_HELP),
    "mergeByFields": Ui(
        label="Fields to match",
        when={**_BY_FIELDS, "advanced": True},
        options={"add": "Add fields"},
        help="Pairs of fields whose values must be the same.",
    ),
    "joinMode": Ui(label="Output", when=_BY_FIELDS, choices=_JOINS, help="Which items go out."),
    "outputDataFrom": Ui(
        label="Data from",
        when={**_BY_FIELDS, "joinMode": ["keepMatches", "keepNonMatches"]},
        choices=_DATA,
        help="The input that gives the fields.",
    ),
    "query": Ui(
        "code",
        label="SQL query",
        when={"mode": "combineBySql"},
        options={"language": "sql"},
        help="The inputs are the tables input1, input2 and so on.",
    ),
    "output": Ui(
        when=_BRANCH,
        choices={"specifiedInput": "Items of an input", "empty": "One empty item"},
        help="The items that go out.",
    ),
    "useDataOfInput": Ui(
        "number", label="Input", when={**_BRANCH, "output": "specifiedInput"}, help="The input's number, from 1 on."
    ),
}
OPTIONS: UiFields = {
    "clashHandling": Ui(label="Clashing fields", help="Decides what happens to fields that both inputs have."),
    "fuzzyCompare": Ui(label="Fuzzy compare"),
    "includeUnpaired": Ui(label="Include items without a partner"),
    "multipleMatches": Ui(choices={"all": "Take all matches", "first": "Take the first match"}),
    "emptyQueryResult": Ui(choices={"success": "One item that reports success", "empty": "No item"}),
}
CLASH: UiFields = {
    "resolveClash": Ui(
        label="When fields clash",
        choices={
            "addSuffix": "Keep both, with the input's number behind the name",
            "preferInput1": "Take input 1",
            "preferInput2": "Take input 2",
            "preferLast": "Take the last input",
        },
        help="The value of a field that several inputs have.",
    ),
    "mergeMode": Ui(
        label="Nested fields", choices={"deepMerge": "Combine them, too", "shallowMerge": "Replace them as a whole"}
    ),
    "overrideEmpty": Ui(label="Keep values over empty ones"),
}
PAIR: UiFields = {"field1": Ui(label="Field of input 1"), "field2": Ui(label="Field of input 2")}

_KEYED: Case = {"mode": ["keepKeyMatches", "mergeByKey", "removeKeyMatches"]}
LEGACY: UiFields = {
    "mode": Ui(
        choices={
            "append": "Append",
            "keepKeyMatches": "Keep items whose keys match",
            "mergeByIndex": "Merge by position",
            "mergeByKey": "Merge by key",
            "multiplex": "All combinations",
            "passThrough": "Pass one input through",
            "removeKeyMatches": "Remove items whose keys match",
            "wait": "Wait for both inputs",
        }
    ),
    "join": Ui(
        when={"mode": "mergeByIndex"},
        choices={"inner": "Only pairs", "left": "All of input 1", "outer": "All of both inputs"},
    ),
    "propertyName1": Ui(label="Key in input 1", when=_KEYED),
    "propertyName2": Ui(label="Key in input 2", when=_KEYED),
    "output": Ui(when={"mode": "passThrough"}, choices={"input1": "Input 1", "input2": "Input 2"}),
    "overwrite": Ui(
        when={"mode": "mergeByKey"},
        choices={"always": "Always", "blank": "When the field is blank", "undefined": "When the field is missing"},
    ),
}

_MIX: Case = {"resolve": "mix"}
_INPUTS: Mapping[Scalar, Words] = {"input1": "Input A", "input2": "Input B"}
COMPARE: UiFields = {
    "mergeByFields": Ui(label="Fields to match", options={"add": "Add fields"}),
    "resolve": Ui(
        label="When items differ",
        choices={
            "preferInput1": "Take input A",
            "preferInput2": "Take input B",
            "mix": "Mix both",
            "includeBoth": "Give both",
        },
    ),
    "preferWhenMix": Ui(label="Prefer", when=_MIX, choices=_INPUTS),
    "exceptWhenMix": Ui(label="Except these fields", when=_MIX),
    "fuzzyCompare": Ui(when={"@version": {"_cnd": {"gte": 2}}}),
}
COMPARE_OPTIONS: UiFields = {
    "fuzzyCompare": Ui(when={"@version": {"_cnd": {"lte": 2.2}}}),
    "multipleMatches": Ui(choices={"all": "Take all matches", "first": "Take the first match"}),
    "skipFields": Ui(label="Fields to skip"),
}
