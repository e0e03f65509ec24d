"""Runs where LiteLLM is installed: `tox -e oracle`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # before its first import: nothing is fetched
TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("oracle", "plugins/proxy", "kernel/dialects")]
