"""Addresses of AWS' services, and for which of them a request is signed.

Source: AWS General Reference, 'Service endpoints and quotas'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-[0-9]+")
_OWN = {"bedrock-runtime": "bedrockRuntimeEndpoint", "email": "sesEndpoint", "dynamodb": "dynamoDbEndpoint"}
"""The credential's field for a service's own address, where it is not `<service>Endpoint`."""
_SIGNED = {"email": "ses", "queue": "sqs"}
"""The name of a service in signatures, where it is not the name in its address."""
_GLOBAL = {"iam": "us-east-1", "route53": "us-east-1", "cloudfront": "us-east-1"}
"""Services with one address for all regions, and the region that signs."""


def region_of(values: Mapping[str, str]) -> str:
    """The region of a credential `aws`, or the usual one. Raises ValueError for what is none."""
    region = (values.get("region") or "us-east-1").strip()
    if not re.fullmatch(r"[a-z0-9-]{2,40}", region):
        raise ValueError("The region of the credential aws is none; write one such as eu-central-1.")
    return region


def endpoint_of(service: str, values: Mapping[str, str]) -> str:
    """The address of a service for a credential `aws`, without a slash at its end. service: as the address has it,
    such as `email`. Raises ValueError for a region that is none."""
    region = region_of(values)
    custom = values.get("customEndpoints", "").strip().lower() == "true"
    own = (values.get(_OWN.get(service, f"{service}Endpoint")) or "").strip() if custom else ""
    if own:
        return own.replace("{region}", region).rstrip("/")
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"https://{service}.{domain}" if service in _GLOBAL else f"https://{service}.{region}.{domain}"


def signed_for(host: str, region: str, service: str = "") -> tuple[str, str]:
    """Service and region that a request to this host is signed for.

    `region`: of the credential. `service`: the one that an address of the credential's own stands for. An address of
    AWS tells both itself.
    """
    short = re.sub(r"\.amazonaws\.com(\.cn)?$", "", host.lower())
    labels = short.split(".")
    place = next((at for at in range(len(labels) - 1, -1, -1) if _REGION.fullmatch(labels[at])), None)
    if short != host.lower() or not service:
        service = _service(labels, place)
    if short != host.lower() and place is not None:
        region = labels[place]
    service = service.removesuffix("-fips")
    service = "bedrock" if service.startswith("bedrock-") else service
    return _SIGNED.get(service, service), _GLOBAL.get(service, region)


def _service(labels: list[str], place: int | None) -> str:
    """The name in the address: in front of the region, or behind it where it is last (`<domain>.<region>.es`)."""
    if place is None:
        return "s3" if "s3" in labels else labels[0]
    if place == len(labels) - 2:
        return labels[place + 1]
    before = [label for label in labels[:place] if label != "dualstack"]
    return before[-1] if before else labels[0]
