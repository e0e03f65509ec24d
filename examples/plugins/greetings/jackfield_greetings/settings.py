"""`[greetings]`."""

from pydantic import BaseModel, ConfigDict, Field


class GreetingsSettings(BaseModel):
    """`[greetings]`"""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    mark: str = Field("!", max_length=3, description="Stands at the end of every greeting.")
