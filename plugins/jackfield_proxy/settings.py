"""The table `[proxy]`."""

from __future__ import annotations

from ipaddress import ip_address

from pydantic import BaseModel, ConfigDict, Field, field_validator


class ProxySettings(BaseModel):
    """Proxies of profiles. Limits apply to a proxy from its next configuration on."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    body_limit: int = Field(
        32 * 2**20, ge=1024, le=512 * 2**20, description="Largest request that a proxy takes, in bytes."
    )
    upload_limit: int = Field(
        512 * 2**20,
        ge=1024,
        le=16 * 2**30,
        description="Largest body that passes to a provider as it comes, such as a file's, in bytes.",
    )
    head_timeout: float = Field(
        10.0,
        gt=0,
        le=600,
        description="Time from the first byte of a request to the end of its headers, in seconds.",
    )
    max_connections: int = Field(
        1000,
        ge=1,
        le=100_000,
        description="Connections that a proxy's clients may have; requests on further ones get 503.",
    )
    connect_timeout: float = Field(
        10.0, gt=0, le=300, description="Time to reach a provider, in seconds; as of the start of the proxy."
    )
    first_byte_timeout: float = Field(
        600.0, gt=0, le=7200, description="Time until a provider begins its answer, in seconds."
    )
    opening_timeout: float = Field(
        5.0,
        ge=0,
        le=600,
        description="Longest time for which the beginning of a stream waits until it has content or an error, in "
        "seconds; with 0 it does not wait.",
    )
    idle_timeout: float = Field(
        180.0,
        gt=0,
        le=7200,
        description="Longest silence within an answer or a request's body, and longest time that a client takes "
        "nothing of its answer, in seconds.",
    )
    count_timeout: float = Field(
        5.0,
        gt=0,
        le=60,
        description="Time for a provider's count of a request's tokens, in seconds; then it is estimated.",
    )
    retries: int = Field(
        2, ge=0, le=10, description="Further attempts after 408, 409, 429, 5xx or no connection, with one target."
    )
    retry_after_limit: float = Field(
        60.0, ge=0, le=600, description="Longest Retry-After of a provider that is waited for, in seconds."
    )
    breaker_failures: int = Field(
        4, ge=1, le=1000, description="Failures in a row after which a target is left alone, where there is another."
    )
    breaker_open: float = Field(30.0, ge=0, le=3600, description="Time for which it is left alone, in seconds.")
    key_pause: float = Field(
        300.0,
        ge=0,
        le=86_400,
        description="Time for which one of several keys rests that a provider has refused, in seconds.",
    )
    script_timeout: float = Field(2.0, gt=0, le=60, description="Time for a condition script, in seconds.")
    shared_port: int = Field(
        0,
        ge=0,
        le=65_535,
        description="Port on which all enabled proxies are reached with virtual keys; 0: there is none.",
    )
    shared_host: str = Field(
        "127.0.0.1",
        description="Address of this machine that the shared port is opened on, in digits; 0.0.0.0 or :: opens it to "
        "the network, without TLS.",
    )
    shared_retry: float = Field(
        30.0,
        gt=0,
        le=3600,
        description="Longest pause until the shared port is tried again where it cannot be used, in seconds. The "
        "first pause is 1 s, and each further one twice as long.",
    )
    cache_size: int = Field(
        64 * 2**20,
        ge=0,
        le=64 * 2**30,
        description="Answers that all proxies of the daemon keep together, for virtual keys with a cache, in bytes. "
        "Each enabled proxy and the shared listener have the same part of it.",
    )
    cache_key_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Share of such a part that a virtual key keeps when others need room; it may have more while there "
        "is room.",
    )
    key_timeout: float = Field(
        5.0, gt=0, le=60, description="Time for the daemon's word on a virtual key or a budget, in seconds; then 503."
    )
    reserved_output: int = Field(
        4096,
        ge=0,
        le=10_000_000,
        description="Output that budgets and limits of tokens reserve for a request that does not say how much it "
        "allows, in tokens.",
    )
    start_timeout: float = Field(15.0, gt=0, le=300, description="Time until a proxy must run, in seconds.")
    stop_grace: float = Field(
        2.0, ge=0, le=300, description="Time that requests in flight get when a proxy stops, in seconds."
    )
    health_interval: float = Field(5.0, gt=0.05, le=600, description="Time between health checks, in seconds.")
    health_timeout: float = Field(3.0, gt=0, le=60, description="Time for a health check, in seconds.")
    requests_kept: int = Field(
        500, ge=0, le=100_000, description="Requests of each proxy that `GET /api/proxy/{alias}/requests` remembers."
    )
    log_limit: int = Field(
        1024 * 1024, ge=4096, le=1024**3, description="Size at which a proxy's log is rotated, in bytes; one is kept."
    )

    @field_validator("shared_host")
    @classmethod
    def _digits(cls, host: str) -> str:
        ip_address(host)  # raises ValueError
        return host
