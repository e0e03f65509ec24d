"""Where the files are: one directory, with a folder for each kind."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.manifests import ManifestDirectory

DIRECTORIES = (ManifestDirectory(Path(__file__).parent / "manifests"),)
