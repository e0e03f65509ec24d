"""Waits of the store's executions that people can answer: questions of nodes, and pages.

An execution that waits does not change. So whoever has looked at one looks again only when the number of its next chunk
is another. A list of a thousand costs two statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.approvals import ApprovalOption, OpenQuestions, WaitingQuestion
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, WaitingCall
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, NotFound
from jackfield.api.form_fields import FormField
from jackfield.api.jsontext import Json
from jackfield.api.questions import APPROVAL, CALL, INPUT, TOOL
from jackfield.api.records import replace
from jackfield.api.resume import FORM, ResumeLinks
from jackfield.api.run_rights import RunRights
from jackfield.api.storage import ExecutionFilter, ExecutionRow
from jackfield.api.workflows import Item
from jackfield_forms.answer_items import TEST_MODES, approval_item, labels_of, page_item, parameters_of, question_item
from jackfield_forms.pages import FormPage, read_page
from jackfield_forms.questions import OVER
from jackfield_forms.settings import FormSettings
from jackfield_forms.values import Sent, check

_PAGE = 100
_PAGE_CALL = "form"
_YES = "yes"


class FormQuestions:
    """`WaitingQuestions`"""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._most = context.settings(FormSettings).inbox_executions
        self._links = ResumeLinks(context)
        self._known: dict[str, tuple[int, WaitingQuestion | None]] = {}
        """Execution -> the number of its next chunk, and what it waits for then; None: for no answer of a person."""

    async def open(self) -> OpenQuestions:
        rows, complete = await self._waiting_rows()
        numbers = await self._context.store.next_chunks([row.id for row in rows])
        found = [(row, await self._question(row, numbers.get(row.id, -1))) for row in rows]
        self._known = {row.id: self._known[row.id] for row in rows if row.id in self._known}
        return OpenQuestions([await self._for_caller(row, one) for row, one in found if one is not None], complete)

    async def _waiting_rows(self) -> tuple[Sequence[ExecutionRow], bool]:
        rows: dict[str, ExecutionRow] = {}
        offset = 0
        while True:
            limit = min(_PAGE, self._most - offset)
            page = await self._context.store.executions(ExecutionFilter(status="waiting"), offset=offset, limit=limit)
            offset += len(page.rows)
            rows |= {row.id: row for row in page.rows}  # one moves to the next page when another begins to wait
            if not page.rows or offset >= page.total:
                return [*rows.values()], True
            if offset >= self._most:
                return [*rows.values()], False

    async def _question(self, row: ExecutionRow, number: int) -> WaitingQuestion | None:
        known = self._known.get(row.id)
        if known is not None and known[0] == number:
            return known[1]
        try:
            found = self._shown(await self._context.port(Engine).waiting(row.id))
        except NotFound:
            return None
        except Conflict as exc:
            if (exc.details or {}).get("status") != "waiting":
                return None  # it goes on meanwhile
            found = None  # it waits for a time, until a chunk ends that
        self._known[row.id] = (number, found)
        return found

    async def find(self, id: str) -> WaitingQuestion:
        row = await self._row(id)
        found = self._shown(await self._waiting(row))
        if found is None or found.id != id:
            raise Conflict(OVER, code="APPROVAL_CLOSED")
        return await self._for_caller(row, found)

    async def answer(self, id: str, option: str, fields: Mapping[str, Json]) -> None:
        row = await self._row(id)
        if (rights := self._context.find_port(RunRights)) is not None:
            await rights.check_run(row)
        waiting = await self._waiting(row)
        if _id(waiting) != id:
            raise Conflict(OVER, code="APPROVAL_CLOSED")
        item = self._item(waiting, option, fields)
        try:
            await self._context.port(Engine).resume(waiting, [item])
        except Conflict:
            raise Conflict(OVER, code="APPROVAL_CLOSED") from None

    async def _row(self, id: str) -> ExecutionRow:
        """The engine knows executions of every project, and the store those that the caller sees."""
        rows = await self._context.store.execution_rows([id.partition(".")[0]])
        if not rows:
            raise NotFound(f"There is no approval {id[:100]}.", code="APPROVAL_NOT_FOUND")
        return rows[0]

    async def _waiting(self, row: ExecutionRow) -> WaitingCall:
        try:
            return await self._context.port(Engine).waiting(row.id)
        except (Conflict, NotFound):
            raise Conflict(OVER, code="APPROVAL_CLOSED") from None

    async def _for_caller(self, row: ExecutionRow, found: WaitingQuestion) -> WaitingQuestion:
        """Everybody who has the page's address may answer there, so only who may answer here gets it."""
        rights = self._context.find_port(RunRights)
        try:
            if rights is not None:
                await rights.check_run(row)
        except AccessDenied:
            return replace(found, url="")
        return found

    def _shown(self, waiting: WaitingCall) -> WaitingQuestion | None:
        ident = _id(waiting)
        if ident is None:
            return None
        is_question = waiting.call.get("kind") == CALL
        options: Sequence[ApprovalOption] = ()
        fields: Sequence[Mapping[str, Json]] = ()
        if is_question and waiting.call.get("response") == APPROVAL:
            title, message = str(waiting.call.get("title") or ""), str(waiting.call.get("message") or "")
            options = [ApprovalOption(key, text, key == _YES) for key, text in labels_of(waiting).items()]
        else:
            page = _page(waiting)
            if page is None:
                return None
            title, message = page.title, page.description
            fields = [_field(each) for each in page.fields]
        return WaitingQuestion(
            id=ident,
            kind="question" if is_question else "form",
            title=title or f"{waiting.workflow.name}: {waiting.node.name}",
            message=message,
            asked_ms=waiting.since,
            until_ms=waiting.until,
            execution_id=waiting.execution_id,
            workflow_id=waiting.workflow.id,
            workflow=waiting.workflow.name,
            node=waiting.node.name,
            options=options,
            fields=fields,
            url=self._url(waiting, is_question=is_question),
            test=waiting.mode in TEST_MODES,
            tool=str(waiting.call.get(TOOL) or ""),
            input=waiting.call.get(INPUT),
        )

    def _url(self, waiting: WaitingCall, *, is_question: bool) -> str:
        if is_question:
            return self._links.answer_url(waiting.execution_id, str(waiting.call.get("question")), approved=True)
        return self._links.url(waiting.execution_id, FORM)

    def _item(self, waiting: WaitingCall, option: str, fields: Mapping[str, Json]) -> Item:
        """Raises `InvalidInput`."""
        if waiting.call.get("kind") == CALL and waiting.call.get("response") == APPROVAL:
            labels = labels_of(waiting)
            if fields:
                raise InvalidInput("The question has no fields.", details={"fields": "leave it out"})
            if option not in labels:
                raise InvalidInput(
                    "The question has no such answer.", details={"option": f"give one of {', '.join(labels)}"}
                )
            return approval_item(self._context, approved=option == _YES)
        if option:
            raise InvalidInput("The form has no options.", details={"option": "leave it out, and give fields"})
        page = _page(waiting)
        if page is None:
            raise NotFound("This form cannot be shown.")
        checked = check(page.fields, _sent(page.fields, fields))
        if checked.mistakes:
            keys = {field.name: field.key for field in page.fields}
            raise InvalidInput(
                "The form is not filled in as it asks.",
                details={f"fields.{keys.get(name) or name}": text for name, text in checked.mistakes.items()},
            )
        if waiting.call.get("kind") == CALL:
            return question_item(self._context, checked)
        return page_item(self._context, waiting, checked)


def _id(waiting: WaitingCall) -> str | None:
    """None: no person answers this."""
    kind = waiting.call.get("kind")
    if kind == CALL:
        return f"{waiting.execution_id}.{waiting.call.get('question')}"
    if kind == _PAGE_CALL and waiting.call.get("page") != "completion":
        return f"{waiting.execution_id}.{waiting.index}"
    return None


def _page(waiting: WaitingCall) -> FormPage | None:
    """None: its fields are none, as those of a document that was changed by hand."""
    try:
        return read_page(parameters_of(waiting))
    except ValueError:
        return None


def _field(field: FormField) -> Mapping[str, Json]:
    return {
        "key": field.key,
        "label": field.label,
        "kind": field.kind,
        "required": field.required,
        "options": list(field.options),
        "several": field.several,
        "default": field.default,
        "placeholder": field.placeholder,
        "html": field.html,
    }


def _sent(fields: Sequence[FormField], given: Mapping[str, Json]) -> Sent:
    """As a browser would send it. Raises `InvalidInput` for a field that the form does not have."""
    names = {field.key: field.name for field in fields if field.key and field.kind != "html"}
    unknown = next((key for key in given if key not in names), None)
    if unknown is not None:
        raise InvalidInput(
            "The form has no such field.", details={f"fields.{unknown}": f"give some of: {', '.join(names)}"}
        )
    hidden = {field.name: [field.default] for field in fields if field.kind == "hidden" and field.default}
    return Sent({**hidden, **{names[key]: _texts(value) for key, value in given.items()}}, {})


def _texts(value: Json) -> list[str]:
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [] if value is None else [str(value).lower() if isinstance(value, bool) else str(value)]
