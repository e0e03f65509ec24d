"""Images: looked at, and made."""

from __future__ import annotations

import base64
import binascii

from jackfield.api.ai import Message, Picture
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items
from jackfield_ai.asking import CountedModel
from jackfield_ai.openai.asked import OpenAiItem
from jackfield_ai.openai.texts import chat_model
from jackfield_ai.pictures import picture_of
from jackfield_ai.reading import list_at, text_at

WHAT = "What's in this image?"


async def analyze(asked: OpenAiItem) -> Items:
    parameters, options = asked.parameters, asked.parameters.options
    detail = options.detail or "auto"
    if parameters.input_type == "base64":
        names = [name.strip() for name in parameters.binary_property_name.split(",") if name.strip()]
        pictures = [await picture_of(asked.run, asked.index, name, detail) for name in names]
    else:
        urls = [url.strip() for url in parameters.image_urls.split(",") if url.strip()]
        pictures = [Picture(url=url, detail=detail) for url in urls]
    if not pictures:
        raise NodeError("There is no image; fill in imageUrls, or choose files with inputType base64.")
    members = options.renamed({"temperature": "temperature", "max_tokens": "max_completion_tokens"})
    model = CountedModel(chat_model(asked, members))
    try:
        answer = await model.complete([Message("user", parameters.text or WHAT, pictures)])
    finally:
        model.log(asked.run)
    if parameters.plain:
        return [asked.made({"content": answer.message.text})]
    return [asked.made(answer.raw)] if isinstance(answer.raw, dict) else []


async def generate(asked: OpenAiItem) -> Items:
    """One item per image, with the file, or with its address."""
    parameters, options = asked.parameters, asked.parameters.options
    if not parameters.prompt:
        raise NodeError("The parameter prompt is empty; say what the image should show.")
    model = asked.model("gpt-image-1")
    body: dict[str, Json] = {"prompt": parameters.prompt, "model": model}
    body |= options.renamed({"n": "n", "size": "size", "style": "style"})
    if quality := options.quality or options.dalle_quality:
        body["quality"] = quality
    if model.startswith("dall-e"):
        body["response_format"] = "url" if options.return_image_urls else "b64_json"
    rows = list_at(await asked.post("/images/generations", body), "data")
    made: Items = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        if "b64_json" not in row:
            made.append(asked.made(row))
            continue
        about = {name: value for name, value in row.items() if name != "b64_json"}
        made.append(await asked.item_with(_decoded(text_at(row, "b64_json")), "image/png", "data.png", about))
    return made


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        raise NodeError("OpenAI answered with an image that cannot be read.") from None
