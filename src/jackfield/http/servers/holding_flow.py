"""Reading from a caller who sends more than can be dealt with now."""

from __future__ import annotations

from uvicorn.protocols.http.flow_control import FlowControl


class HoldingFlow(FlowControl):
    """uvicorn's, which gets the order to read on with every body that is taken, and every answer.

    It obeys only as long as nothing is held: the caller would else fill the memory with later requests.
    """

    _holds = False

    def hold(self) -> None:
        """Nothing more is read until `go_on`."""
        self._holds = True
        self.pause_reading()

    def go_on(self) -> None:
        self._holds = False
        self.resume_reading()

    def resume_reading(self) -> None:
        if not self._holds:
            super().resume_reading()
