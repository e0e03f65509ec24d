"""All cases of services' actions."""

from __future__ import annotations

from collections.abc import Sequence

from . import (
    airtop_cases,
    chat_cases,
    filemaker_cases,
    github_cases,
    hive_cases,
    language_cases,
    lead_cases,
    media_cases,
    meeting_cases,
    newer_cases,
    office_cases,
    outlook_cases,
    question_cases,
    slack_cases,
    supabase_cases,
    todoist_cases,
)
from .action_cases import ActionCase
from .vendor_cases import bamboo, clickup, discord, mautic, notion, pipedrive, teams

CASES: Sequence[ActionCase] = [
    *airtop_cases.CASES,
    *chat_cases.CASES,
    *filemaker_cases.CASES,
    *github_cases.CASES,
    *hive_cases.CASES,
    *language_cases.CASES,
    *lead_cases.CASES,
    *media_cases.CASES,
    *meeting_cases.CASES,
    *newer_cases.CASES,
    *office_cases.CASES,
    *outlook_cases.CASES,
    *question_cases.CASES,
    *slack_cases.CASES,
    *supabase_cases.CASES,
    *todoist_cases.CASES,
    *bamboo.CASES,
    *clickup.CASES,
    *discord.CASES,
    *mautic.CASES,
    *notion.CASES,
    *pipedrive.CASES,
    *teams.CASES,
]
