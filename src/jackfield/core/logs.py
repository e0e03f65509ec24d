"""Logs: JSON lines in `logs/jackfield.log`, rotated, written by their own thread, secrets hidden by value.

A line has time (ISO 8601 UTC), level, logger, message, requestId when a request is served, and what the caller added.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import queue
import sys
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TextIO

from jackfield.api import jsontext
from jackfield.api.clock import SystemClock, iso
from jackfield.api.files import append_private, private_directory

from .line_limit import LimitedLines, LineLimit
from .redaction import Redactor
from .tables import LogSettings

request_id: ContextVar[str] = ContextVar("jackfield_request_id", default="")
_CONTROLS = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n"}
CHATTY = ("asyncio", "hypercorn.error", "uvicorn.error")
"""Loggers of libraries that write a line for each mistake of a caller's."""
FILE_ALONE = "fileAlone"
"""An extra of lines that the console does without, since the command tells the same."""
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "requestId", FILE_ALONE}


class _Bounded(logging.handlers.QueueHandler):
    """Never blocks: counts what does not fit."""

    def __init__(self, lines: queue.Queue[logging.LogRecord]) -> None:
        super().__init__(lines)
        self.lost = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.message = record.getMessage()
        record.args = None
        record.msg = record.message
        record.requestId = getattr(record, "requestId", "") or request_id.get()
        if record.exc_info and not record.exc_text:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info))
            record.exc_info = None
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        try:
            if self.lost:
                text = f"{self.lost} log lines were lost."
                notice = {"name": "jackfield.logs", "levelno": logging.WARNING, "levelname": "WARNING", "msg": text}
                self.queue.put_nowait(logging.makeLogRecord(notice))
                self.lost = 0
            self.queue.put_nowait(record)
        except queue.Full:
            self.lost += 1


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": iso(round(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if found := getattr(record, "requestId", ""):
            line["requestId"] = found
        line.update({key: value for key, value in vars(record).items() if key not in _STANDARD})
        if record.exc_text:
            line["exception"] = record.exc_text
        return jsontext.dumps(self._hidden(line)).decode()

    def _hidden(self, value: object) -> object:
        """Value by value, before it is written as JSON, whose escapes would hide the secret from us."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {str(name): self._hidden(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._hidden(item) for item in value]
        return self._redact(str(value))


class Readable(logging.Formatter):
    """For a person at a terminal."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S")
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record)).translate(_CONTROLS)


class _Private(logging.handlers.RotatingFileHandler):
    def _open(self) -> TextIO:  # type: ignore[override]
        return os.fdopen(append_private(Path(self.baseFilename)), "a", encoding="utf-8")


class Logs:
    """Start with the daemon, stop with it (writes what is queued). Raises `ConfigurationError`."""

    def __init__(self, config_dir: Path, settings: LogSettings, redact: Redactor, worker: int = 0) -> None:
        """worker: its number; 0: the daemon's first process."""
        name = f"jackfield-worker-{worker}.log" if worker else "jackfield.log"
        file = _Private(
            private_directory(config_dir / "logs") / name,
            maxBytes=settings.max_bytes,
            backupCount=settings.backups,
        )
        file.setFormatter(JsonLines(redact))
        console = logging.StreamHandler(sys.stderr)
        console.setFormatter(Readable(redact))
        console.addFilter(lambda line: not hasattr(line, FILE_ALONE))
        lines: queue.Queue[logging.LogRecord] = queue.Queue(settings.queue)
        self.handler = _Bounded(lines)
        self._listener = logging.handlers.QueueListener(lines, file, console)
        root = logging.getLogger()
        root.setLevel(settings.level.upper())
        root.handlers[:] = [self.handler]
        # Libraries that chat at info about every request or callback; at debug, oauthlib tells what it signs.
        for name in ("asyncio", "hypercorn.access", "multipart", "oauthlib", "python_multipart"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._limited = LimitedLines(LineLimit(SystemClock()))
        for name in CHATTY:
            logging.getLogger(name).addFilter(self._limited)
        self._listener.start()
        logging.captureWarnings(True)

    def stop(self) -> None:
        for name in CHATTY:
            logging.getLogger(name).removeFilter(self._limited)
        logging.getLogger().removeHandler(self.handler)
        self._listener.stop()
        for handler in self._listener.handlers:
            handler.close()
