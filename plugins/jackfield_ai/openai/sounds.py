"""Audio: made from text, and written down."""

from __future__ import annotations

from jackfield.api.http_client import HttpBody, HttpCall
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items
from jackfield_ai.openai.asked import Asked

_TYPES = {"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac", "wav": "audio/wav"}


async def generate(asked: Asked) -> Items:
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
    reply = await asked.exchange.send(
        HttpCall("POST", url, body=HttpBody(dumps(body), "application/json"), follow="none")
    )
    media_type = _TYPES.get(form, "application/octet-stream")
    return [await asked.item_with(reply.body, media_type, f"audio.{form}", dict(asked.item["json"]))]


async def transcribe(asked: Asked) -> Items:
    return await _written(asked, "/audio/transcriptions")


async def translate(asked: Asked) -> Items:
    return await _written(asked, "/audio/translations")


async def _written(asked: Asked, path: str) -> Items:
    import httpx

    options = asked.parameters.options
    fields = {"model": "whisper-1"}
    if options.language:
        fields["language"] = options.language
    if options.temperature is not None:
        fields["temperature"] = str(options.temperature)
    name, media_type, content = await asked.file(asked.parameters.binary_property_name)
    parts: list[tuple[str, tuple[str | None, bytes, str | None]]] = [
        (field, (None, value.encode(), None)) for field, value in fields.items()
    ]
    parts.append(("file", (name, content, media_type)))
    form = httpx.Request("POST", "http://form.invalid/", files=parts)
    body = HttpBody(form.read(), form.headers["content-type"])
    reply = await asked.exchange.send(HttpCall("POST", await asked.url(path), body=body, follow="none"))
    return [asked.made(_answer(reply.body))]


def _answer(body: bytes) -> dict[str, Json]:
    from jackfield.api.errors import InvalidInput

    try:
        found = loads(body)
    except InvalidInput:
        found = body.decode("utf-8", "replace")
    return found if isinstance(found, dict) else {"text": found}
