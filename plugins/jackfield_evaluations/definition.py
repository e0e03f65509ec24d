"""An evaluation: which rows run through what, and how their results are scored."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
Template = Annotated[str, Field(max_length=65_536)]
ProfileAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=NAME)]
"""No template: neither a row nor an output chooses who works."""
MOST_OF_SCALE = 1e15
ScorerName = Annotated[str, Field(min_length=1, max_length=60)]


class EvaluationPart(Schema):
    """Names are camelCase outside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", allow_inf_nan=False)


class WorkflowTarget(EvaluationPart):
    """Each row runs through this workflow. `version`: one of its versions; null: the current one. `start`: the node to
    start at; empty: the evaluation trigger, else the trigger of a run by hand. `outputNode`: whose first item is the
    output; empty: the last node that ran."""

    kind: Literal["workflow"]
    workflow_id: str = Field(min_length=1, max_length=100)
    version: int | None = Field(None, ge=1)
    start: str = Field("", max_length=200)
    output_node: str = Field("", max_length=200)


class ProfileTarget(EvaluationPart):
    """Each row is a prompt for this profile's agent, without a terminal. `prompt`: a template over the row. `timeout`:
    seconds; null: the setting profiles.run.timeout. `outputFormat`: `json`: the agent's answer is read as JSON."""

    kind: Literal["profile"]
    profile: ProfileAlias
    prompt: Template = Field(min_length=1)
    timeout: float | None = Field(None, gt=0, le=86_400)
    output_format: Literal["text", "json"] = "text"


class _Scorer(EvaluationPart):
    """weight: how much the score counts in that of the row."""

    name: ScorerName
    weight: float = Field(1, ge=0, le=1000)


class _Scaled(_Scorer):
    """lowest, highest: the values that become the scores 0 and 1."""

    lowest: float = Field(0, ge=-MOST_OF_SCALE, le=MOST_OF_SCALE)
    highest: float = Field(1, ge=-MOST_OF_SCALE, le=MOST_OF_SCALE)

    @model_validator(mode="after")
    def _in_order(self) -> _Scaled:
        if self.highest == self.lowest:
            raise ValueError("lowest and highest must differ")
        return self


class ExpressionScorer(_Scorer):
    """expression: gives a number from 0 to 1, true or false, or `{score, reason}`."""

    kind: Literal["expression"]
    expression: Template = Field(min_length=1)


class CodeScorer(_Scorer):
    """code: a program that returns the same. It sees what is scored as its only item."""

    kind: Literal["code"]
    language: Literal["javaScript", "python"] = "javaScript"
    code: str = Field(min_length=1, max_length=262_144)


class ModelJudge(EvaluationPart):
    """A chat model of a workflow's node. nodeType: such as `@n8n/n8n-nodes-langchain.lmChatOpenAi`; parameters: of that
    node; credentials: kind of credential -> id."""

    node_type: str = Field(min_length=1, max_length=200)
    type_version: float = Field(1, ge=0, le=1000)
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    credentials: dict[str, str] = Field(default_factory=dict, max_length=10)


class JudgeScorer(_Scaled):
    """A model scores by these instructions. profile: whose agent judges; or model: a chat model."""

    kind: Literal["judge"]
    instructions: str = Field(min_length=1, max_length=65_536)
    profile: ProfileAlias | None = None
    model: ModelJudge | None = None

    @model_validator(mode="after")
    def _one_judge(self) -> JudgeScorer:
        if (self.profile is None) == (self.model is None):
            raise ValueError("give either profile or model")
        return self


class MetricScorer(_Scaled):
    """metric: the name of a number that a node Evaluation of the workflow sets."""

    kind: Literal["metric"]
    metric: str = Field(min_length=1, max_length=200)


Target = Annotated[WorkflowTarget | ProfileTarget, Field(discriminator="kind")]
Scorer = Annotated[ExpressionScorer | CodeScorer | JudgeScorer | MetricScorer, Field(discriminator="kind")]


class EvaluationLimits(EvaluationPart):
    """Where a run stops. `rows`: of the table, from its beginning. `seconds`: by the clock. `cost`: US dollars, as far
    as they are known. `tokens`: in and out together. `null`: as the settings say; of cost and tokens: no limit."""

    rows: int | None = Field(None, ge=1, le=100_000)
    seconds: float | None = Field(None, gt=0, le=604_800)
    cost: float | None = Field(None, gt=0, le=1_000_000)
    tokens: int | None = Field(None, ge=1, le=10**12)


class EvaluationBody(EvaluationPart):
    """`input`: a template that makes the item's JSON of the row; empty: the row itself. `output`, `expected`: templates
    that make what is scored; empty: the whole output, and nothing. `passScore`: a row with at least this score has
    passed."""

    description: str = Field("", max_length=2000)
    table_id: str = Field(min_length=1, max_length=100)
    target: Target
    input: Template = ""
    output: Template = ""
    expected: Template = ""
    scorers: list[Scorer] = Field(min_length=1, max_length=20)
    pass_score: float = Field(0.5, ge=0, le=1)
    concurrent: int = Field(2, ge=1, le=100)
    limits: EvaluationLimits = Field(default_factory=EvaluationLimits)

    @field_validator("scorers")
    @classmethod
    def _own_names(cls, scorers: list[Scorer]) -> list[Scorer]:
        names = [each.name for each in scorers]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two scorers are named {twice}; give each a name of its own")
        if not any(each.weight for each in scorers):
            raise ValueError("every weight is 0; let at least one scorer count")
        return scorers


class NewEvaluation(EvaluationBody):
    """name: letters, digits, `.`, `_` and `-`; it is also the evaluation's address."""

    name: str = Field(min_length=1, max_length=64, pattern=NAME)
