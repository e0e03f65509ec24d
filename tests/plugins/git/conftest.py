from __future__ import annotations

import shutil

import pytest

if shutil.which("git") is None:
    pytest.skip("git is not installed", allow_module_level=True)
