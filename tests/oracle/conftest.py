"""Runs where LiteLLM is installed: `tox -e oracle`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # before its first import: nothing is fetched
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "plugins/proxy")]
