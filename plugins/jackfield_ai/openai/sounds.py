"""Audio: made from text, and written down."""

from __future__ import annotations

from collections.abc import AsyncIterator

from jackfield.api.binary import DEFAULT_TYPE, stream_of
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpBody, HttpCall, HttpReply
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.multipart import form_body
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import kept_file
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData, Items
from jackfield_ai.openai.asked import OpenAiItem

_TYPES = {"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac", "wav": "audio/wav"}


async def generate(asked: OpenAiItem) -> Items:
    parameters, options = asked.parameters, asked.parameters.options
    if not parameters.input:
        raise NodeError("The parameter input is empty; write what should be spoken.")
    form = options.response_format or "mp3"
    body: dict[str, Json] = {
        "model": asked.model("tts-1"),
        "input": parameters.input,
        "voice": parameters.voice,
        "response_format": form,
    }
    if options.speed is not None:
        body["speed"] = options.speed
    url = await asked.url("/audio/speech")
    keeper = _Spoken(asked.run, _TYPES.get(form, DEFAULT_TYPE), f"audio.{form}")
    call = HttpCall("POST", url, body=HttpBody(dumps(body), "application/json"), follow="none", keeper=keeper)
    reply = await asked.client.send(call)
    file = reply.file or await keeper.keep(reply, stream_of(reply.body))
    return [asked.with_file(file, dict(asked.item["json"]))]


@record
class _Spoken:
    """`jackfield.api.http_client.BodyKeeper`."""

    run: NodeRun
    media_type: str
    file_name: str

    def wants(self, head: HttpReply) -> bool:
        return True

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Raises `NodeError`."""
        return await kept_file(self.run, chunks, mime_type=self.media_type, file_name=self.file_name)


async def transcribe(asked: OpenAiItem) -> Items:
    return await _written(asked, "/audio/transcriptions")


async def translate(asked: OpenAiItem) -> Items:
    return await _written(asked, "/audio/translations")


async def _written(asked: OpenAiItem, path: str) -> Items:
    options = asked.parameters.options
    fields = {"model": "whisper-1"}
    if options.language:
        fields["language"] = options.language
    if options.temperature is not None:
        fields["temperature"] = str(options.temperature)
    file = await asked.file("file", asked.parameters.binary_property_name)
    call = HttpCall("POST", await asked.url(path), body=form_body(fields.items(), [file]), follow="none")
    reply = await asked.client.send(call)
    return [asked.made(_answer(reply.body))]


def _answer(body: bytes) -> dict[str, Json]:
    try:
        found = loads(body)
    except InvalidInput:
        found = body.decode("utf-8", "replace")
    return found if isinstance(found, dict) else {"text": found}
