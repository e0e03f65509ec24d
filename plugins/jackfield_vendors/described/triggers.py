"""The keys that a description file may have for a trigger: the tables `trigger.poll` and `trigger.subscribe`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from jackfield_vendors.described.description import DescribedPaging, DescribedRequest, DescribedStep, JsonShape, Scalar

Pair: TypeAlias = "tuple[str, str]"


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


class TriggerPart(BaseModel):
    """Unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class DescribedVariant(TriggerPart):
    """when: parameters that choose it, as with operations; the first that holds counts. min_version, max_version: of
    the node."""

    when: dict[str, Scalar | list[Scalar]] = {}
    min_version: float | None = None
    max_version: float | None = None


class DescribedNewness(TriggerPart):
    """How one row differs from another (`jackfield.api.triggers.newness`).

    `id`, `time`: shapes over the row and the node's parameters. `start`: `listed` takes the rows of the first poll as
    seen. `now` takes the current time, for requests that say since when (only by time), and asks for no more than the
    `overlap` before it. `source`: parameters that say where the rows come from; with other values the listed rows count
    as seen.
    """

    by: Literal["id", "time", "hash"] = "id"
    id: JsonShape = "{id}"
    time: JsonShape = ""
    most: int = Field(1000, ge=1, le=20_000)
    overlap: float = Field(0, ge=0, le=31 * 86_400)
    start: Literal["listed", "now"] = "listed"
    source: list[str] = []

    @model_validator(mode="after")
    def _complete(self) -> DescribedNewness:
        if self.by == "time" and not self.time:
            raise ValueError("by time needs time, a template over the row")
        if self.start == "now" and self.by != "time":
            raise ValueError("start now is for by time alone")
        return self


class DescribedCondition(TriggerPart):
    """`has`: templates that must be there and not false. `lacks`: templates that must not be. `same`: pairs of
    templates that must be equal. `outside`: pairs of a value and a list that must hold neither it nor `*`. `later`:
    pairs of times, the first of which must be the later one.
    """

    has: list[str] = []
    lacks: list[str] = []
    same: list[Pair] = []
    outside: list[Pair] = []
    later: list[Pair] = []


class DescribedRowFile(TriggerPart, DescribedRequest):
    """A file of a row or an event that is fetched.

    `needs`: template without which there is none. `name`: of the file, a template. `property`: template of the item's
    binary field. `each`: template of a list of files, which the other templates see one by one; `{$index}` is the
    file's place in it. `hosts`: that files may be at beside the origin of `base_url`, such as `*.acme.example`; https
    alone. The request has the credential, and an event may name any address, so that a file anywhere else is left out.
    """

    needs: str
    name: str = ""
    property: str = "data"
    each: str = ""
    hosts: list[str] = []


class DescribedPoll(DescribedVariant, DescribedRequest):
    """The request of each poll. Templates see the node's parameters, `{$since}` (ISO time from when on rows may be new;
    missing when nothing says so), `{$now}`, `{$timezone}` and `{$test}`. They also see the results of steps.

    `steps`: before the request. `found`: template of the rows, in place of a request. `rows`: path of the rows in the
    answer. `newest_first`: the list begins with the newest row, so that no page behind one that ends with a known row
    is read. `where`: rows that count: path -> a value, or several. `ignore`: conditions over a row that does not count.
    `detail`: a request per row, whose answer stands in its place. `each`: steps per new row, which see it as in
    `$each`. `item`: shape of an item over the row; by default the row. `fetch`: a file of each. `attachments`: key of
    an item's list of files (`field`, `name`, `type`, `content` in base64). `tested`: rows that a test gives. `code`: in
    place of the request, a function of this plugin for a poll that tables cannot describe; it gets the results of the
    steps.
    """

    steps: list[DescribedStep] = []
    found: str | None = None
    rows: str = ""
    paging: DescribedPaging | None = None
    newest_first: bool = False
    where: dict[str, Scalar | list[Scalar]] = {}
    ignore: list[DescribedCondition] = []
    new: DescribedNewness = DescribedNewness()
    detail: DescribedRequest | None = None
    each: list[DescribedStep] = []
    item: JsonShape = None
    fetch: DescribedRowFile | None = None
    attachments: str = ""
    tested: int = Field(1, ge=1, le=100)
    code: str = Field("", pattern=r"^(jackfield_vendors\.[a-z_.]+:[a-z_]+)?$")


class DescribedProof(TriggerPart):
    """How a call proves where it comes from; every given key must hold.

    `preset`: a webhook preset such as `github`. `header` and the keys after it: an HMAC in a header
    (`jackfield.api.triggers.proofs.EventSignature`). `secret`: template of its key, by default `{$secret}`, the
    subscription's own. `optional`: nothing is asked for while that key is not known, as with services whose key
    somebody may enter in the credential. `same`: pairs of templates that must be equal, like a header and the secret.
    `digest`: template that must be the body's SHA-256 in hexadecimal, where a signature is not over the body itself.
    `min_version`: of the node from which on it is asked for. `when`: of which calls it is asked for, where a service
    signs in several ways; a call that no proof is for is refused.
    """

    preset: str = ""
    header: str = ""
    algorithm: Literal["sha1", "sha256", "sha384", "sha512"] = "sha256"
    encoding: Literal["hex", "base64"] = "hex"
    keying: Literal["hmac", "prepended"] = "hmac"
    prefix: str = ""
    over: str = "{body}"
    time_header: str = ""
    part: str = ""
    time_part: str = ""
    optional: bool = False
    secret: str = "{$secret}"  # noqa: S105 - a template
    same: list[Pair] = []
    digest: str = ""
    min_version: float | None = None
    when: DescribedCondition | None = None

    @model_validator(mode="after")
    def _one(self) -> DescribedProof:
        if bool(self.preset) + bool(self.header) + bool(self.same) + bool(self.digest) != 1:
            raise ValueError("give one of preset, header, same and digest")
        return self


class DescribedAnswer(TriggerPart):
    """body: a shape, or a text; a text goes as text/plain unless content_type says otherwise."""

    status: int = Field(200, ge=200, le=599)
    headers: dict[str, str] = {}
    body: JsonShape = None
    content_type: str = ""


class DescribedHandshake(TriggerPart):
    """A call that wants an answer and starts nothing, such as a challenge. check: the proof is asked for before."""

    when: DescribedCondition
    answer: DescribedAnswer = DescribedAnswer()
    check: bool = False


class DescribedCheck(TriggerPart, DescribedRequest):
    """Whether the service still has the subscription: a good answer, in which `same` holds.

    With `rows`, it looks for one of the list or an object at this path (an empty text is the answer itself). Templates
    see it as in `$each`. `needs`: template without which the subscription is taken to be there. `state`: as in
    `create`.
    """

    needs: str = ""
    rows: str | None = None
    same: list[Pair] = []
    state: JsonShape = None


class DescribedCreate(TriggerPart, DescribedRequest):
    """Without path and url there is no request but those of `then`.

    `state`: shape of the values to remember of the subscription, `{$state.name}` from then on; `{$response}` is the
    answer. `then`: steps behind it, for services that want several requests; `state` sees their results. `expires`:
    template of its end. `lifetime`: seconds until then, where the answer does not say.
    """

    then: list[DescribedStep] = []
    state: JsonShape = None
    expires: str = ""
    lifetime: float | None = Field(None, gt=0)


class DescribedEnd(TriggerPart, DescribedRequest):
    """before: steps before it, for services that want several requests; without path and url they are all.

    A subscription that has gone already counts as done.
    """

    before: list[DescribedStep] = []


class DescribedEvent(TriggerPart):
    """The part of a call that starts the workflow. Templates see `{$body}`, `{$headers}` (lower-case names),
    `{$query}`, `{$method}`, `{$state}` and the node's parameters.

    `ignore`: calls that start nothing. `delivery`: template of the event's id. `steps`: requests before the items are
    made. `rows`: path in the body of a list of events, one item each. `found`: template of that list instead. `where`:
    those that count. `item`: shape over the row, or over the body. `answer`: the answer to the service. `file`: of each
    item. `output`: template of the name of the node's output (`node.outputs`) that gives the items; a call that names
    no other starts nothing.
    """

    ignore: list[DescribedCondition] = []
    delivery: str = ""
    steps: list[DescribedStep] = []
    rows: str = ""
    found: str = ""
    where: dict[str, Scalar | list[Scalar]] = {}
    item: JsonShape = None
    answer: DescribedAnswer | None = None
    output: str = ""

    @property
    def several(self) -> bool:
        """One call may hold several events."""
        return bool(self.rows or self.found)

    file: DescribedRowFile | None = None


class DescribedSubscribe(DescribedVariant):
    """Templates see the node's parameters, `{$url}`, `{$secret}`, `{$state}`, and the results of steps, which come
    before each of create, check, renew and delete. Without renew a subscription that ends is created anew. Without
    check it is taken to be there. Without create somebody enters the address at the service by hand. `unsigned`: the
    service gives no proof of its events, which is said beside the workflow.
    """

    steps: list[DescribedStep] = []
    create: DescribedCreate | None = None
    check: DescribedCheck | None = None
    renew: DescribedCreate | None = None
    delete: DescribedEnd | None = None
    proof: Annotated[list[DescribedProof], BeforeValidator(_listed)] = []
    handshake: Annotated[list[DescribedHandshake], BeforeValidator(_listed)] = []
    event: DescribedEvent = DescribedEvent()
    unsigned: bool = False

    @model_validator(mode="after")
    def _proven(self) -> DescribedSubscribe:
        if self.unsigned and self.proof:
            raise ValueError("unsigned is for services that give no proof")
        return self


class DescribedTrigger(TriggerPart):
    """One of both. Several in a list are tried in turn."""

    poll: Annotated[list[DescribedPoll], BeforeValidator(_listed)] = []
    subscribe: Annotated[list[DescribedSubscribe], BeforeValidator(_listed)] = []

    @model_validator(mode="after")
    def _one(self) -> DescribedTrigger:
        if bool(self.poll) == bool(self.subscribe):
            raise ValueError("give poll or subscribe")
        return self
