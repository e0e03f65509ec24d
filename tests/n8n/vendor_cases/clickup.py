"""Checklists, goals, tags, dependencies and time entries of ClickUp."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

TOKEN = {"clickUpApi": {"accessToken": "token-of-clickup"}}
ROWS = [{"id": str(number), "name": f"n{number}", "note": None} for number in range(8)]


def _case(work: str, method: str, path: str, body: Any = None, told: str = "", **more: Any) -> ActionCase:
    resource, operation = work.split(".")
    given = {"authentication": "accessToken", "resource": resource, "operation": operation, **more}
    answers = [Answer(f"/api/v2{path}", {} if body is None else body, method)]
    return ActionCase("clickUp", given, answers, credentials=TOKEN, name=told or str(more.get("name", "")))


def _refused(work: str, fails: str, told: str, **more: Any) -> ActionCase:
    resource, operation = work.split(".")
    given = {"authentication": "accessToken", "resource": resource, "operation": operation, **more}
    return ActionCase("clickUp", given, credentials=TOKEN, fails=fails, name=told)


LIST, ITEM = {"checklist": {"id": "c1", "items": []}}, {"checklist": "c1", "checklistItem": "i1"}
CHECKLISTS = [
    _case("checklist.create", "POST", "/task/t1/checklist", LIST, task="t1", name="first"),
    _case("checklist.delete", "DELETE", "/checklist/c1", checklist="c1"),
    _case("checklist.update", "PUT", "/checklist/c1", LIST, checklist="c1", updateFields={"position": 2, "name": "N"}),
    _case(
        "checklistItem.create",
        "POST",
        "/checklist/c1/checklist_item",
        LIST,
        checklist="c1",
        name="item",
        additionalFields={"assignee": "12"},
    ),
    _case("checklistItem.delete", "DELETE", "/checklist/c1/checklist_item/i1", **ITEM),
    _case(
        "checklistItem.update",
        "PUT",
        "/checklist/c1/checklist_item/i1",
        LIST,
        **ITEM,
        updateFields={"assignee": "12", "name": "N", "parent": "i0", "resolved": True},
    ),
]
GOAL, RESULT = {"goal": {"id": "g1", "owners": [1]}}, {"key_result": {"id": "k1", "unit": None}}
WHEN = "2026-01-31T10:00:00.000Z"
MADE = {"dueDate": WHEN, "description": "D", "multipleOwners": True, "color": "#ff0000", "owners": "1, 2"}
CHANGED = {"name": "N", "dueDate": WHEN, "color": "#00ff00", "addOwners": "3", "removeOwners": "1,2"}
STEPS = {"stepsStart": 0, "stepsEnd": 10}
GOALS = [
    _case("goal.create", "POST", "/team/9/goal", GOAL, team="9", name="goal", additionalFields=MADE),
    _case("goal.delete", "DELETE", "/goal/g1", goal="g1"),
    _case("goal.get", "GET", "/goal/g1", GOAL, goal="g1"),
    _case("goal.getAll", "GET", "/team/9/goal", {"goals": ROWS}, team="9", limit=3),
    _case("goal.update", "PUT", "/goal/g1", GOAL, goal="g1", updateFields=CHANGED),
    _case(
        "goalKeyResult.create",
        "POST",
        "/goal/g1/key_result",
        RESULT,
        goal="g1",
        name="result",
        type="number",
        additionalFields={"unit": "km", "stepsStart": 1, "stepsEnd": 10, "taskIds": "a,b", "owners": "1,2"},
    ),
    _case(
        "goalKeyResult.create",
        "POST",
        "/goal/g1/key_result",
        RESULT,
        goal="g1",
        name="yes or no",
        type="boolean",
        additionalFields={"listIds": "1,2"},
    ),
    _refused("goalKeyResult.create", "unit", "no unit", goal="g1", name="r", type="currency", additionalFields=STEPS),
    _refused("goalKeyResult.create", "step", "no steps", goal="g1", name="r", type="automatic"),
    _case("goalKeyResult.delete", "DELETE", "/key_result/k1", keyResult="k1"),
    _case(
        "goalKeyResult.update",
        "PUT",
        "/key_result/k1",
        RESULT,
        keyResult="k1",
        updateFields={"note": "N", "stepsCurrent": 3, "stepsStart": 1, "stepsEnd": 9, "unit": "m", "name": "R"},
    ),
]
COLORS = {"foregroundColor": "#ff0000", "backgroundColor": "#00ff00"}
DEPENDS = {"task": "t1", "dependsOnTask": "t2"}
TASKS = [
    _case("taskList.add", "POST", "/list/l1/task/t1", taskId="t1", listId="l1"),
    _case("taskList.remove", "DELETE", "/list/l1/task/t1", taskId="t1", listId="l1"),
    _case("taskDependency.create", "POST", "/task/t1/dependency", **DEPENDS),
    _case("taskDependency.delete", "DELETE", "/task/t1/dependency", **DEPENDS),
    _case("spaceTag.create", "POST", "/space/7/tag", space="7", name="tag", **COLORS),
    _case("spaceTag.create", "POST", "/space/7/tag", space="7", name="usual"),
    _case("spaceTag.delete", "DELETE", "/space/7/tag/old", space="7", name="old"),
    _case("spaceTag.getAll", "GET", "/space/7/tag", {"tags": ROWS}, space="7"),
    _case("spaceTag.getAll", "GET", "/space/7/tag", {"tags": ROWS}, "some", space="7", returnAll=False, limit=2),
    _case("spaceTag.update", "PUT", "/space/7/tag/old", space="7", name="old", newName="new", **COLORS),
]
AT = "/team/9/time_entries"
ENTRY = {"data": {"id": "e1", "tid": None}}
TAG = '{"name":"a","tag_bg":"#111111","tag_fg":"#222222"}'
ONE = {"team": "9", "timeEntry": "e1"}
TIMES = [
    _case(
        "timeEntry.create",
        "POST",
        AT,
        ENTRY,
        team="9",
        start="2026-01-31T10:00:00",
        duration=15,
        task="t1",
        additionalFields={"billable": False, "description": "D", "tags": [TAG], "assignee": 4},
    ),
    _case("timeEntry.create", "POST", AT, ENTRY, "a zone", team="9", start="2026-01-31T10:00:00.000+02:00", task="t1"),
    _case("timeEntry.delete", "DELETE", f"{AT}/e1", {"data": [{"id": "e1"}, {"id": "e2"}]}, **ONE),
    _case("timeEntry.get", "GET", f"{AT}/e1", ENTRY, **ONE),
    _case("timeEntry.get", "GET", f"{AT}/current", ENTRY, "running", team="9", running=True),
    _case("timeEntry.getAll", "GET", AT, {"data": ROWS}, team="9"),
    _case(
        "timeEntry.getAll",
        "GET",
        AT,
        {"data": ROWS},
        "of a time",
        team="9",
        returnAll=True,
        filters={"start_date": "2026-01-01T00:00:00", "end_date": WHEN},
    ),
    _case(
        "timeEntry.start",
        "POST",
        f"{AT}/start",
        ENTRY,
        team="9",
        task="t1",
        additionalFields={"billable": True, "description": "D"},
    ),
    _case("timeEntry.stop", "POST", f"{AT}/stop", ENTRY, team="9"),
    ActionCase(
        "clickUp",
        {"authentication": "accessToken", "resource": "timeEntry", "operation": "stop", "team": "9"},
        [Answer(f"/api/v2{AT}/stop", {}, "POST")],
        credentials=TOKEN,
        fails="nothing to stop",
        name="nothing runs",
    ),
    _case(
        "timeEntry.update",
        "PUT",
        f"{AT}/e1",
        ENTRY,
        **ONE,
        updateFields={"start": WHEN, "duration": 2, "task": "t2", "billable": True, "description": "D"},
    ),
    _case("timeEntry.update", "PUT", f"{AT}/e1", ENTRY, "a little", **ONE, updateFields={"description": "D"}),
    _case(
        "timeEntryTag.add",
        "POST",
        f"{AT}/tags",
        team="9",
        timeEntryIds="e1,e2",
        tagsUi={"tagsValues": [{"name": "a", "tag_bg": "#111111", "tag_fg": "#222222"}]},
    ),
    _refused("timeEntryTag.add", "at least one tag", "none", team="9", timeEntryIds="e1"),
    _case("timeEntryTag.getAll", "GET", f"{AT}/tags", {"data": ROWS}, team="9"),
    _case("timeEntryTag.getAll", "GET", f"{AT}/tags", {"data": ROWS}, "all", team="9", returnAll=True),
    _case("timeEntryTag.remove", "DELETE", f"{AT}/tags", team="9", timeEntryIds="e1,e2", tagNames=[TAG]),
]
LISTS = [
    _case("folder.getAll", "GET", "/space/7/folder", {"folders": ROWS}, space="7", limit=2),
    _case("list.getAll", "GET", "/space/7/list", {"lists": ROWS}, space="7", limit=2, folderless=True),
    _case("list.getAll", "GET", "/folder/8/list", {"lists": ROWS}, "of a folder", space="7", folder="8", limit=2),
]
CASES = [*LISTS, *CHECKLISTS, *GOALS, *TASKS, *TIMES]
