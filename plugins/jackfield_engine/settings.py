"""Settings of the embedded engine: table `executions`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ExecutionMetricsSettings(BaseModel):
    """How many series `/metrics` has of executions."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    workflows: int = Field(
        100,
        description="Workflows that `/metrics` tells apart, those that end an execution first; further ones are one, "
        "`other`. Each has up to 16 series per mode and status.",
        ge=0,
        le=100_000,
    )
    node_types: int = Field(
        100,
        description="Node types that `/metrics` tells apart, those that run first; further ones are one, `other`.",
        ge=0,
        le=10_000,
    )


class ExecutionsSettings(BaseModel):
    """How executions run, wait and end."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    concurrency: int = Field(64, description="Executions that run at the same time.", ge=1, le=10_000)
    queue_size: int = Field(
        4_096,
        description="Executions that wait for their turn in memory; further ones wait in the store, and are read "
        "again. As many as there may be connections, so that a call which waits for its end costs the same among "
        "many.",
        ge=1,
        le=100_000,
    )
    queue_bytes: int = Field(
        64 * 1024 * 1024,
        description="Bytes of input data of the executions that wait for their turn in memory.",
        ge=1024,
        le=64 * 1024**3,
    )
    read_back_memory: int = Field(
        512 * 1024 * 1024,
        description="Bytes of memory that executions may take together that came back from the store, after a "
        "restart, a full queue or a long wait. Estimated as for bodies. Further ones wait there. Input and "
        "results below 64 KiB do not count, and one execution may always come.",
        ge=1_048_576,
    )
    timeout: float = Field(
        0, description="Seconds that an execution may run unless its workflow says otherwise; 0: no limit.", ge=0
    )
    max_timeout: float = Field(
        3_600, description="The longest limit in seconds that a workflow may set itself; 0: any.", ge=0
    )
    max_node_runs: int = Field(
        10_000, description="Node runs of one execution; guards against endless cycles.", ge=1, le=10_000_000
    )
    kept_open: int = Field(
        16,
        description="Connections and sessions that one node run keeps open while it does not use them; of more, the "
        "one used longest ago is closed.",
        ge=0,
        le=1_000,
    )
    closing_timeout: float = Field(
        10, description="Seconds that each of them may take to close when the node run ends.", gt=0, le=300
    )
    max_resumes: int = Field(
        25,
        description="How often in a row an execution is resumed after the daemon ended unexpectedly while a node of "
        "it ran, unless it gets further. Then it ends as failed. Guards against executions that crash the "
        "daemon; not small, because whatever runs beside such a one is counted as well.",
        ge=1,
        le=1_000,
    )
    resume_backoff: float = Field(
        1.0,
        description="Seconds from a start until such an execution is resumed for the second time in a row, more or "
        "less by half. Each further resume doubles them. 0: it is resumed at once.",
        ge=0,
        le=3_600,
    )
    resume_backoff_max: float = Field(
        60.0, description="The most seconds that `executions.resume_backoff` grows to.", ge=0, le=86_400
    )
    max_data: int = Field(
        512 * 1024 * 1024,
        description="Bytes of JSON that the results of all node runs of one execution may have together.",
        ge=1024,
        le=900_000_000,
    )
    spill_bytes: int = Field(
        4 * 1024 * 1024,
        description="Bytes of JSON from which on the long outputs of a node run are a file in binary/ and not a row "
        "in the store. 0: never.",
        ge=0,
        le=900_000_000,
    )
    max_static_data: int = Field(
        16 * 1024 * 1024,
        description="Bytes of JSON that a workflow may remember across executions (static data, deduplication).",
        ge=1024,
        le=256 * 1024 * 1024,
    )
    max_depth: int = Field(
        10, description="How deep workflows may call each other (sub-workflows, error workflows).", ge=1, le=100
    )
    script_timeout: float = Field(
        60,
        description="Seconds that the script of a Code node may run unless the node says otherwise.",
        gt=0,
        le=86_400,
    )
    wait_in_memory: float = Field(
        65, description="Waits of up to that many seconds keep the execution in memory.", ge=0, le=3_600
    )
    waiting_in_memory: int = Field(
        1_000, description="Waiting executions that are kept in memory at most.", ge=0, le=100_000
    )
    poll_interval: float = Field(
        30, description="Seconds between two looks for waiting executions that are due.", gt=0, le=3_600
    )
    daemon: str = Field(
        "",
        description="Name of this daemon among those that share a store; each has its own one, the same at each "
        "start. Empty: the host's name and the configuration directory.",
        max_length=500,
    )
    lease: float = Field(
        10.0,
        description="Seconds without a renewal after which other daemons that share the store take over what this one "
        "runs. After two thirds of it this one lets go by itself.",
        ge=1,
        le=3_600,
    )
    renewal_interval: float = Field(
        1.0,
        description="Seconds between two renewals of the lease, and until this daemon hears at the latest that another "
        "one wants an execution cancelled. A quarter of `executions.lease` at most, whatever stands here.",
        gt=0,
        le=600,
    )
    claim_interval: float = Field(
        1.0,
        description="Seconds between two looks for executions that another daemon, which shares the store, has "
        "queued or left. The daemon also looks for the end of one that somebody here waits for and another "
        "daemon runs.",
        gt=0,
        le=600,
    )
    unsaved_limit: int = Field(
        1_000,
        description="Ended executions kept in memory while the store does not answer; beyond, they run again from "
        "their last checkpoint.",
        ge=1,
        le=100_000,
    )
    cached_workflows: int = Field(256, description="Workflows whose compiled form is kept in memory.", ge=1, le=100_000)
    variables_ttl: float = Field(
        0,
        description="Seconds for which variables are remembered; 0: each execution that uses them reads them once.",
        ge=0,
        le=3_600,
    )
    allowed_environment: list[str] = Field(
        default_factory=list,
        description="Names of environment variables that expressions may read as $env.NAME; none by default.",
    )
    timezone: str = Field("UTC", description="Time zone of workflows that name none, such as Europe/Berlin.")
    max_age_hours: float = Field(
        336, description="Hours after which an ended execution is deleted.", gt=0, le=24 * 36_500
    )
    max_count: int = Field(
        100_000,
        description="Ended executions that are kept; of more those are deleted that ended first.",
        ge=1,
        le=1_000_000_000,
    )
    unsaved_for: float = Field(
        60,
        description="Seconds for which an ended execution can be read that its workflow does not want to be saved.",
        ge=0,
        le=86_400,
    )
    prune_interval: float = Field(
        60, description="Seconds between two looks for executions to delete.", gt=0, le=86_400
    )
    metrics: ExecutionMetricsSettings = Field(default_factory=ExecutionMetricsSettings)
