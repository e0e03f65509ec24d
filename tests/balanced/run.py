"""Run pytest with the arguments, where the program under test is two daemons behind a balancer (`serve.py`).

python tests/balanced/run.py -q -n 2 --dist loadfile ../shared/acceptance/workflow_service
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jackfield.testing.postgres import postgres_server

if __name__ == "__main__":
    program = f"{sys.executable} {Path(__file__).with_name('serve.py').resolve()} serve"
    with postgres_server("max_connections=400") as server:
        env = {**os.environ, "BALANCED_DSN": server.dsn(), "JACKFIELD_CMD": program}
        done = subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:]], env=env, check=False)
    sys.exit(done.returncode)
