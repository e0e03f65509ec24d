"""The base of models that a request or an answer has."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """A model that makes its validator at its first use.

    A validator takes half a millisecond and 20 KB, and an idle daemon with hundreds of them needs none.
    """

    model_config = ConfigDict(defer_build=True)
