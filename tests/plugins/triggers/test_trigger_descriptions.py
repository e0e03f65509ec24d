"""Tables of triggers: what does not fit names its file and its key; proofs, handshakes and sources."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import NOW, VendorTriggerLab

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.jsontext import dumps
from jackfield.api.records import replace
from jackfield.api.triggers.subscribing import EventCall
from jackfield.api.webhooks import WebhookCall
from jackfield.testing.vendor import VendorDouble
from jackfield_vendors.library import Unusable, node_in

ROOT = Path(__file__).resolve().parents[3]
NODE = '[node]\nkind = "t"\ntitle = "T"\ntrigger = true\nbase_url = "http://x.example"\n'


def file(directory: Path, text: str) -> Path:
    path = directory / "t.toml"
    path.write_text(NODE + text)
    return path


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[trigger]\n", "t.toml: trigger: Value error, give poll or subscribe"),
        ('[trigger.poll]\npath = "/{a}"\n', "t.toml: trigger.poll.path: the node has no parameter a"),
        ('[trigger.poll]\nnew = { by = "time" }\n', "t.toml: trigger.poll[0].new: Value error, by time needs time"),
        ('[trigger.poll]\nnew = { id = "{" }\n', "t.toml: trigger.poll.new.id: a brace is not closed"),
        ('[trigger.poll]\nnew = { source = ["a"] }\n', "t.toml: trigger.poll.new.source: the node has no parameter a"),
        ('[trigger.poll]\ncode = "os:system"\n', "t.toml: trigger.poll[0].code: String should match"),
        ('[trigger.poll]\npaht = "/"\n', "t.toml: trigger.poll[0].paht: Extra inputs are not permitted"),
        (
            "[trigger.subscribe.proof]\n",
            "t.toml: trigger.subscribe[0].proof[0]: Value error, give one of preset, header, same and digest",
        ),
        (
            '[trigger.subscribe.delete]\npath = "/{@no}"\n',
            "t.toml: trigger.subscribe.delete.path: the table values has no no",
        ),
        (
            '[trigger.subscribe.event]\nitem = { "$call" = "nothing" }\n',
            "t.toml: trigger.subscribe.event.item.$call: there is no function nothing",
        ),
        ("[[operations]]\n[trigger.poll]\n", "t.toml: the file: Value error, [trigger] stands beside a [node]"),
    ],
)
def test_a_mistake_names_file_and_key(tmp_path: Path, vendor: VendorDouble, text: str, told: str) -> None:
    lab = VendorTriggerLab(tmp_path, vendor)
    with pytest.raises(Unusable, match=re.escape(told)):
        node_in(lab.context, file(tmp_path, text))


def test_the_examples_of_the_page_are_usable(tmp_path: Path, vendor: VendorDouble) -> None:
    page = (ROOT / "docs/triggers.md").read_text()
    blocks = re.findall(r'```toml title="nodes.d/(\w+).toml"\n(.*?)```', page, re.DOTALL)
    assert [name for name, _ in blocks] == ["ordersTrigger", "bellTrigger"]
    lab = VendorTriggerLab(tmp_path, vendor)
    for name, text in blocks:
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        made = node_in(lab.context, path)
        assert made.description.trigger
        assert not made.description.missing


CHALLENGES = """
parameters = []

[trigger.subscribe.proof]
header = "x-signature"
algorithm = "sha512"
encoding = "base64"
over = "{time}.{body}"
time_header = "x-time"

[[trigger.subscribe.handshake]]
when = { same = [["{$body.type}", "url_verification"]] }
answer = { body = { challenge = "{$body.challenge}" } }

[[trigger.subscribe.handshake]]
when = { has = ["{$query.crc_token}"] }

[trigger.subscribe.handshake.answer.body]
response_token = { "$call" = "signature", text = "{$query.crc_token}", key = "{$secret}", encoding = "base64" }

[trigger.subscribe.event]
rows = "events"
where = { kind = "order" }
item = { name = "{name}" }
"""


async def test_challenges_and_timed_signatures(tmp_path: Path, vendor: VendorDouble) -> None:
    lab = VendorTriggerLab(tmp_path, vendor)
    made: Any = node_in(lab.context, file(tmp_path, CHALLENGES))
    run = lab.subscription(made, {})
    found = await lab.receive(made, run, {"type": "url_verification", "challenge": "c1"})
    assert (found.items, found.answer.body, found.answer.content_type) == (
        None,
        b'{"challenge":"c1"}',
        "application/json",
    )
    call = WebhookCall("GET", run.url, {}, b"", NOW / 1000)
    crc = await made.receive(run, EventCall(call, {"crc_token": "t"}, None, lab.files))
    wanted = base64.b64encode(hmac.new(run.secret.encode(), b"t", hashlib.sha256).digest())
    assert wanted in crc.answer.body
    body = {"events": [{"kind": "order", "name": "A"}, {"kind": "other"}, {"kind": "order", "name": "B"}]}

    def proof(moment: int) -> dict[str, str]:
        signed = f"{moment}.".encode() + dumps(body)
        digest = hmac.new(run.secret.encode(), signed, hashlib.sha512).digest()
        return {"x-time": str(moment), "x-signature": base64.b64encode(digest).decode()}

    received = await lab.receive(made, run, body, proof(NOW // 1000))
    assert [item["json"] for item in received.items or ()] == [{"name": "A"}, {"name": "B"}]
    for wrong in (proof(NOW // 1000 - 301), {**proof(NOW // 1000), "x-time": "1"}, {}):
        with pytest.raises(WebhookUnauthorized):
            await lab.receive(made, run, body, wrong)
    with pytest.raises(WebhookUnauthorized):
        await lab.receive(made, replace(run, secret=""), body, proof(NOW // 1000))
