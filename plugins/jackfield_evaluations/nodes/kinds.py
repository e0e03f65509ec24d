"""Kinds of the nodes that this plugin gives."""

from __future__ import annotations

TRIGGER = "evaluationTrigger"
EVALUATION = "evaluation"
