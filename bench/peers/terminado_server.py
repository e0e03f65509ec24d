"""terminado's own way to share a shell: python terminado_server.py PORT"""

from __future__ import annotations

import asyncio
import sys

import tornado.web
from terminado import NamedTermManager, TermSocket


async def main() -> None:
    manager = NamedTermManager(shell_command=["/bin/sh"], max_terminals=200)
    application = tornado.web.Application([(r"/(\w+)", TermSocket, {"term_manager": manager})])
    application.listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
